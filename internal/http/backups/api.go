// Package backups is the part of the HTTP API that writes archives of the graph, checks
// them, and has a job restore one.
package backups

import (
	"context"
	"io"
	nethttp "net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

const (
	within      = 2 * time.Hour    // an archive may be sent or received for so long
	uploadBytes = 64 << 30         // of an archive
	uploadGrace = 30 * time.Second // in which nothing of it need arrive
	uploadPace  = 64 << 10         // bytes a second that must arrive on average
)

// reader reads the graph as it is at one moment.
type reader interface {
	ReadBackup(ctx context.Context, ontology string, begin func(storage.BackupHeader) (func(storage.BackupRow) error, error)) error
}

// writer writes an archive.
type writer interface {
	Add(row storage.BackupRow) error
	Close() error
	Abandon()
}

// files keeps what was uploaded for a job.
type files interface {
	BeginArtifactFile(ctx context.Context, contentType string) (file int64, err error)
	AddArtifactPiece(ctx context.Context, file int64, n int, piece []byte) error
	CloseArtifactFile(ctx context.Context, file, bytes int64) error
	DropFile(ctx context.Context, file int64) (bool, error)
	WaitingFiles(ctx context.Context, contentType string) ([]artifacts.WaitingFile, error)
}

// submitter stores jobs.
type submitter interface {
	SubmitJob(ctx context.Context, j work.NewJob) (work.Job, error)
}

// Config is what an API needs.
type Config struct {
	Graph  reader
	Files  files
	Jobs   submitter
	Write  func(w io.Writer, h storage.BackupHeader) (writer, error)
	Verify func(r io.Reader) (storage.BackupSummary, error)
}

// Writer makes a Config's Write of a function that returns something that writes.
func Writer[W writer](f func(io.Writer, storage.BackupHeader) (W, error)) func(io.Writer, storage.BackupHeader) (writer, error) {
	return func(w io.Writer, h storage.BackupHeader) (writer, error) { return f(w, h) }
}

// API writes, checks and restores archives.
type API struct {
	cfg    Config
	router *http.Router
}

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	a.router = r
	r.RegisterRaw(http.Route{
		Method: "POST", Path: "/admin/backup", Permission: access.BackupsCreate, ID: "backups.create", AnswerWithin: within,
		Summary: "Download an archive of the graph, or of one ontology", Document: func(op *huma.Operation) {
			op.Parameters = []*huma.Param{{Name: "ontology", In: "query", Description: "Only this ontology", Schema: &huma.Schema{Type: huma.TypeString}}}
			http.Respond(op, "200", storage.BackupType, "The archive", &huma.Schema{Type: huma.TypeString, Format: "binary"})
		},
	}, a.create)
	r.RegisterRaw(http.Route{
		Method: "POST", Path: "/admin/backup/verify", Permission: access.BackupsRead, ID: "backups.verify", AnswerWithin: within,
		Summary: "Check that an archive is whole", Document: func(op *huma.Operation) {
			http.FormSchema[backupVerifyForm](r, http.MultipartType)(op)
			http.Respond(op, "200", "application/json", "What it holds, or what is wrong with it", http.SchemaOf[backupVerifyAnswer](r))
		},
	}, a.verify)
	r.RegisterRaw(http.Route{
		Method: "POST", Path: "/admin/restore", Submits: true, Permission: access.BackupsRestore, ID: "backups.restore", AnswerWithin: within,
		Summary: "Have a job restore an archive", Document: func(op *huma.Operation) {
			http.FormSchema[restoreForm](r, http.MultipartType)(op)
			op.Parameters = []*huma.Param{{Name: "mode", In: "query", Description: "As in the form", Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{storage.RestoreMerge, storage.RestoreReplace}}}, {Name: "dry_run", In: "query", Description: "As in the form", Schema: &huma.Schema{Type: huma.TypeBoolean}}}
			http.Respond(op, "200", "application/json", "The job", http.SchemaOf[api.Restored](r))
		},
	}, a.restore)
	http.Register(r, http.Route{
		Method: "GET", Path: "/admin/backups", Permission: access.BackupsRead, ID: "backups.list",
		Summary: "List the archives that were uploaded and are not restored yet",
	}, a.list)
	return http.CheckConfig("http/backups", a.cfg)
}

type backupVerifyForm struct {
	File string `json:"file" format:"binary" doc:"An archive"`
}

type restoreForm struct {
	Mode      string `json:"mode,omitempty" enum:"merge,replace" default:"merge" doc:"merge adds what is missing; replace removes what is there before: the whole graph, or the archive's ontology"`
	Overwrite string `json:"overwrite,omitempty" doc:"true is mode=replace"`
	DryRun    string `json:"dry_run,omitempty" doc:"true: the job does all of it, takes it back, and its result says what would be added and removed"`
	File      string `json:"file" format:"binary" doc:"An archive"`
}

type backupVerifyAnswer struct {
	Valid   bool                   `json:"valid"`
	Error   *string                `json:"error"`
	Archive *storage.BackupSummary `json:"archive"` // null when it is not whole
}

type backupsAnswer struct {
	Backups []artifacts.WaitingFile `json:"backups"`
	Count   int                     `json:"count"`
}

func (a *API) list(ctx context.Context, _ *struct{}) (backupsAnswer, error) {
	all, err := a.cfg.Files.WaitingFiles(ctx, storage.BackupType)
	return backupsAnswer{all, len(all)}, err
}

// create sends an archive. When the graph cannot be read on, the connection ends before
// the archive does, which lacks its trailer then.
func (a *API) create(c *gin.Context) error {
	ontology := c.Query("ontology")
	var out writer
	err := a.cfg.Graph.ReadBackup(c.Request.Context(), ontology, func(h storage.BackupHeader) (func(storage.BackupRow) error, error) {
		c.Header("Content-Type", storage.BackupType)
		c.Header("Content-Disposition", `attachment; filename="kappa-`+h.CreatedAt.UTC().Format("20060102-150405")+`.jsonl.zst"`)
		c.Header("Cache-Control", "no-store")
		var err error
		if out, err = a.cfg.Write(c.Writer, h); err != nil {
			return nil, err
		}
		return out.Add, nil
	})
	if err == nil {
		err = out.Close()
	}
	switch {
	case err == nil:
		return nil
	case out == nil:
		c.Writer.Header().Del("Content-Disposition")
		return err
	}
	out.Abandon()
	panic(nethttp.ErrAbortHandler)
}

// verify checks an archive that is sent.
func (a *API) verify(c *gin.Context) error {
	var answer backupVerifyAnswer
	seen := false
	_, err := a.readForm(c, func(file io.Reader) error {
		seen = true
		summary, err := a.cfg.Verify(file)
		switch {
		case err == nil:
			answer = backupVerifyAnswer{Valid: true, Archive: &summary}
		case kappa.ErrorCode(err) == kappa.CodeInvalid:
			why := err.Error()
			answer = backupVerifyAnswer{Error: &why}
			_, err = io.Copy(io.Discard, file) // a client that sends on hears it
		}
		return err //nolint:wrapcheck // of the body
	})
	if err != nil {
		return err
	}
	if !seen {
		return errNoArchive()
	}
	http.WriteJSON(c, nethttp.StatusOK, answer)
	return nil
}

func errNoArchive() error {
	return kappa.Invalid(kappa.FieldError{In: "form", Name: "file", Rule: "must be an archive of POST /admin/backup"})
}
