package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

// Archive is a backup that is read row by row; see backup.Reader.
type Archive interface {
	Header() storage.BackupHeader
	Next() (storage.BackupRow, error)
	Close()
}

// OpenArchive begins to read an archive.
type OpenArchive func(r io.Reader) (Archive, error)

// restorer brings back the rows of an archive in one transaction under a claim.
type restorer interface {
	Restore(ctx context.Context, c work.Claim, r storage.Restoring) (storage.RestoreStats, error)
}

// uploads are the files that were sent for jobs.
type uploads interface {
	OpenFile(ctx context.Context, file int64) (artifacts.File, error)
	ReadArtifactPiece(ctx context.Context, file int64, n int) ([]byte, error)
	DropFile(ctx context.Context, file int64) (bool, error)
}

// restore works on jobs of the type restore.
type restore struct {
	open   OpenArchive
	graph  restorer
	files  uploads
	claims checkpointer
	retry  work.Retrying
}

// restoreResult is the result of such a job.
type restoreResult struct {
	Status  string               `json:"status"`
	Stats   storage.RestoreStats `json:"restore_stats"`
	Mode    string               `json:"mode"`
	DryRun  bool                 `json:"dry_run,omitempty"`  // nothing was restored: the stats are what would be
	Created bool                 `json:"checkpoint_created"` // the transaction is the checkpoint: none is made
	Deleted bool                 `json:"checkpoint_deleted"`
	Cleaned bool                 `json:"temp_file_cleaned"`
}

// NewRestore returns the job type restore: it reads an archive from its first line to its
// last, which checks it, and then writes the graph in the same transaction. Until that
// commits, everybody sees the graph as it was, whatever happens to the server.
func NewRestore(open OpenArchive, graph restorer, files uploads, claims checkpointer, retry work.Retrying) work.JobType {
	r := restore{open, graph, files, claims, retry}
	return work.JobType{
		Name: storage.TypeRestore, Summary: "Brings back a backup of the graph: all of it or nothing.", Lane: "system", Permission: access.BackupsRestore,
		Check: func(data json.RawMessage) error {
			_, err := readRestoreJob(data)
			return err
		},
		Handler: r.handle,
	}
}

func readRestoreJob(raw json.RawMessage) (storage.RestoreJob, error) {
	var job storage.RestoreJob
	if err := json.Unmarshal(raw, &job); err != nil || job.File < 1 {
		return job, kappa.Invalid(kappa.FieldError{In: "body", Name: "data.file", Rule: "must be an archive that was sent to POST /admin/restore, which makes the job"})
	}
	return job, storage.ValidateRestoreMode("body", job.Mode)
}

func (r restore) handle(ctx context.Context, c work.Claim) (json.RawMessage, error) {
	job, err := readRestoreJob(c.Data)
	if err != nil {
		return nil, err
	}
	result := restoreResult{Status: "completed", Mode: job.Mode, DryRun: job.DryRun}
	if len(c.Checkpoint) > 0 && json.Unmarshal(c.Checkpoint, &result.Stats) == nil && string(c.Checkpoint) != "null" {
		return r.finish(ctx, job, result) // an earlier attempt has committed
	}
	result.Stats, err = r.restore(ctx, c, job)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	}
	return r.finish(ctx, job, result)
}

// restored is the checkpoint of what was brought back: the attempt after it only finishes.
func restored(stats storage.RestoreStats) work.Checkpoint {
	state, _ := json.Marshal(stats) // numbers always encode
	p := work.Progress{Stage: "restored", Percent: 99}
	if stats.Outdated > 0 {
		p.Message = fmt.Sprintf("%d concepts have embeddings of another model: documents wait until they are made anew: kg admin embeddings reembed", stats.Outdated)
	}
	return work.Checkpoint{State: state, Progress: p, Emit: true}
}

// finish deletes the archive and returns the job's result.
func (r restore) finish(ctx context.Context, job storage.RestoreJob, result restoreResult) (json.RawMessage, error) {
	err := r.retry(ctx, "delete the archive", func(ctx context.Context) error {
		_, err := r.files.DropFile(ctx, job.File)
		return err
	})
	if err != nil {
		return nil, err
	}
	result.Cleaned = true
	return json.Marshal(result)
}

func (r restore) checkpoint(ctx context.Context, c work.Claim, p work.Checkpoint) error {
	return r.retry(ctx, "store a checkpoint", func(ctx context.Context) error { return r.claims.Checkpoint(ctx, c, p) })
}

// readingPercent is what of the progress of a restore belongs to the reading of the archive.
const readingPercent = 40

// restore reads the archive and writes it.
func (r restore) restore(ctx context.Context, c work.Claim, job storage.RestoreJob) (stats storage.RestoreStats, err error) {
	return stats, r.read(ctx, job, func(a Archive, source *pieces) error {
		var err error
		stats, err = r.graph.Restore(ctx, c, storage.Restoring{Header: a.Header(), Mode: job.Mode, DryRun: job.DryRun, Next: a.Next, Done: restored, Progress: func(stage string, done, of int64) error {
			p := work.Progress{Stage: stage, ItemsTotal: int(of), ItemsProcessed: int(done)}
			if of == 0 {
				p.Percent = work.PercentDone(int(source.read), int(source.file.Bytes)) * readingPercent / 100
			} else {
				p.Percent = readingPercent + work.PercentDone(int(done), int(of))*(99-readingPercent)/100
			}
			return r.checkpoint(ctx, c, work.Checkpoint{Progress: p, Emit: true})
		}})
		return lastingArchive(err)
	})
}

// lastingArchive makes permanent that an archive is of a later version.
func lastingArchive(err error) error {
	if kappa.ErrorCode(err) == kappa.CodeConflict {
		return kappa.Permanent(err)
	}
	return err
}

// read opens the archive of a job and closes it after do.
func (r restore) read(ctx context.Context, job storage.RestoreJob, do func(Archive, *pieces) error) error {
	source := &pieces{ctx: ctx, files: r.files, retry: r.retry}
	err := r.retry(ctx, "read the archive", func(ctx context.Context) (err error) {
		source.file, err = r.files.OpenFile(ctx, job.File)
		return err
	})
	if err != nil {
		return err
	}
	a, err := r.open(source)
	if err != nil {
		return err
	}
	defer a.Close()
	return do(a, source)
}

// pieces reads a file piece by piece.
type pieces struct {
	ctx   context.Context //nolint:containedctx // of the one who reads; a Reader takes none
	files uploads
	retry work.Retrying
	file  artifacts.File
	next  int
	read  int64
	rest  []byte
}

// Read returns what is left of a piece, or of the next one.
func (p *pieces) Read(to []byte) (int, error) {
	if len(p.rest) == 0 {
		if p.read >= p.file.Bytes {
			return 0, io.EOF
		}
		err := p.retry(p.ctx, "read the archive", func(ctx context.Context) (err error) {
			p.rest, err = p.files.ReadArtifactPiece(ctx, p.file.ID, p.next)
			return err
		})
		if err != nil {
			return 0, err
		}
		p.next++
	}
	n := copy(to, p.rest)
	p.rest = p.rest[n:]
	p.read += int64(n)
	return n, nil
}
