package backups

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	nethttp "net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

const (
	maxField     = 1000 // bytes of a field of a form
	maxParts     = 8
	formOverhead = 1 << 20
)

// restore stores an archive while it checks it, and submits the job that restores it.
func (a *API) restore(c *gin.Context) error {
	ctx := c.Request.Context()
	if mode := c.Query("mode"); mode != "" {
		if err := storage.ValidateRestoreMode("query", mode); err != nil {
			return err
		}
	}
	u := upload{files: a.cfg.Files, ctx: ctx}
	kept, digest := false, sha256.New()
	defer func() {
		if u.file != 0 && !kept {
			_, _ = a.cfg.Files.DropFile(context.WithoutCancel(ctx), u.file) // else it goes within a day
		}
	}()
	var summary storage.BackupSummary
	var refused error
	fields, err := a.readForm(c, func(file io.Reader) error {
		if u.file != 0 {
			return kappa.NewError(kappa.CodeMalformed, "The form has two archives")
		}
		file = io.TeeReader(file, digest)
		if err := u.begin(file); err != nil {
			return err
		}
		var err error
		summary, err = a.cfg.Verify(&u)
		if kappa.ErrorCode(err) == kappa.CodeInvalid {
			refused = err
			_, err = io.Copy(io.Discard, file) // a client that sends on hears it
		}
		return err //nolint:wrapcheck // of the body
	})
	if err == nil {
		err = refused
	}
	if err == nil && u.file == 0 {
		err = errNoArchive()
	}
	if err == nil {
		err = u.finish()
	}
	if err != nil {
		return err
	}
	order := storage.RestoreJob{File: u.file, Mode: cmp.Or(c.Query("mode"), fields["mode"], modeOf(fields["overwrite"]))}
	if order.DryRun, err = dryRun(cmp.Or(c.Query("dry_run"), fields["dry_run"])); err != nil {
		return err
	}
	return a.router.Once(c, digest.Sum(fmt.Append(nil, order.Mode, order.DryRun)), func() error {
		job, err := a.submit(c.Request.Context(), order)
		if err != nil {
			return err
		}
		kept = true
		approved := http.Approved(job)
		http.WriteJSON(c, nethttp.StatusOK, api.Restored{JobID: approved.JobID, Status: approved.Status, Message: approved.Message, Stats: summary, Warnings: []string{}})
		return nil
	})
}

// modeOf returns the mode for the word that an earlier client sends.
func modeOf(overwrite string) string {
	if strings.EqualFold(overwrite, "true") {
		return storage.RestoreReplace
	}
	return storage.RestoreMerge
}

// dryRun returns what a flag of the query or the form says.
func dryRun(word string) (bool, error) {
	var flag http.Flag
	if word == "" {
		return false, nil
	}
	if err := flag.UnmarshalText([]byte(word)); err != nil {
		return false, kappa.Invalid(kappa.FieldError{In: "form", Name: "dry_run", Rule: err.Error()})
	}
	return flag.On(), nil
}

func (a *API) submit(ctx context.Context, order storage.RestoreJob) (work.Job, error) {
	if err := storage.ValidateRestoreMode("form", order.Mode); err != nil {
		return work.Job{}, err
	}
	return a.cfg.Jobs.SubmitJob(ctx, work.NewJob{
		Type: storage.TypeRestore, Queue: work.DefaultQueue, Data: http.EncodeJSON(order), AutoApprove: true,
		MaxRetries: work.DefaultMaxRetries, UserID: http.PrincipalOf(ctx).User.ID,
	})
}

// readForm reads a form, gives its file to take, and returns its fields.
func (a *API) readForm(c *gin.Context, take func(file io.Reader) error) (map[string]string, error) {
	media, params, err := mime.ParseMediaType(c.GetHeader("Content-Type"))
	if err != nil || media != http.MultipartType || params["boundary"] == "" {
		return nil, kappa.NewError(kappa.CodeUnsupported, "The body must be a form: send "+http.MultipartType+" with a boundary")
	}
	body, err := http.LimitPace(c, uploadBytes+formOverhead, http.Pace{Grace: uploadGrace, Bytes: uploadPace, Most: within})
	if err != nil {
		return nil, err
	}
	fields, err := readParts(multipart.NewReader(body, params["boundary"]), take)
	if err == nil {
		_, err = io.Copy(io.Discard, body)
	}
	http.BodyRead(c)
	if err != nil {
		return nil, http.BodyError(err)
	}
	return fields, nil
}

func readParts(parts *multipart.Reader, take func(file io.Reader) error) (map[string]string, error) {
	fields := map[string]string{}
	for range maxParts {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return fields, nil
		}
		if err != nil {
			return nil, err //nolint:wrapcheck // of the body
		}
		if part.FormName() == "file" {
			err = take(part)
		} else {
			var value []byte
			value, err = io.ReadAll(io.LimitReader(part, maxField+1))
			fields[part.FormName()] = string(value)
			if len(value) > maxField {
				err = kappa.NewError(kappa.CodeTooLarge, "A field of the form is too long")
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, kappa.NewError(kappa.CodeMalformed, "The form has too many parts")
}

// upload stores what is read through it.
type upload struct {
	files  files
	ctx    context.Context //nolint:containedctx // of the request; a Reader takes none
	source io.Reader
	file   int64
	bytes  int64
	next   int
	piece  []byte
}

func (u *upload) begin(source io.Reader) (err error) {
	u.source, u.piece = source, make([]byte, 0, artifacts.Piece)
	u.file, err = u.files.BeginArtifactFile(u.ctx, storage.BackupType)
	return err
}

// Read reads on and stores each piece that is full.
func (u *upload) Read(p []byte) (int, error) {
	n, err := u.source.Read(p[:min(len(p), cap(u.piece)-len(u.piece))])
	u.piece = append(u.piece, p[:n]...)
	if len(u.piece) == cap(u.piece) {
		if stored := u.store(); stored != nil {
			return 0, stored
		}
	}
	return n, err //nolint:wrapcheck // io.EOF is the contract
}

func (u *upload) store() error {
	if len(u.piece) == 0 {
		return nil
	}
	if err := u.files.AddArtifactPiece(u.ctx, u.file, u.next, u.piece); err != nil {
		return err
	}
	u.next, u.bytes, u.piece = u.next+1, u.bytes+int64(len(u.piece)), u.piece[:0]
	return nil
}

// finish stores the last piece and the size.
func (u *upload) finish() error {
	if err := u.store(); err != nil {
		return err
	}
	return u.files.CloseArtifactFile(u.ctx, u.file, u.bytes)
}
