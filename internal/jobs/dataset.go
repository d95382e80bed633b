package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/work"
)

// DatasetResult is the whole result of a query, as a file that is read once.
type DatasetResult struct {
	Columns []datasets.Column
	Rows    int64
	Content io.Reader
	Close   func()
}

// DatasetRun runs the query of a job; see dataset.Service.Export.
type DatasetRun func(ctx context.Context, job datasets.Job, progress func(work.Progress) error) (DatasetResult, error)

// fileSaver keeps the result of a job under its claim, once, with a file.
type fileSaver interface {
	BeginArtifactFile(ctx context.Context, contentType string) (file int64, err error)
	AddArtifactPiece(ctx context.Context, file int64, n int, piece []byte) error
	SaveArtifactFile(ctx context.Context, c work.Claim, a artifacts.NewArtifact, file artifacts.File) (id int, err error)
}

// datasetQuery works on jobs of the type dataset_query.
type datasetQuery struct {
	run    DatasetRun
	claims checkpointer
	files  fileSaver
	retry  work.Retrying
}

// datasetResult is the result of such a job.
type datasetResult struct {
	Columns    []datasets.Column `json:"columns"`
	TotalRows  int64             `json:"total_rows"`
	Format     string            `json:"format"`
	Bytes      int64             `json:"bytes"`
	ArtifactID *int              `json:"artifact_id,omitempty"`
}

// NewDatasetQuery returns the job type dataset_query: it asks a question to Parquet files
// that may take minutes, and keeps the whole answer as the file of an artifact. When it is
// cancelled, the process that works on the question is killed. An attempt that was
// interrupted begins anew: nothing of an unfinished query can be used.
func NewDatasetQuery(run DatasetRun, claims checkpointer, files fileSaver, retry work.Retrying) work.JobType {
	d := datasetQuery{run, claims, files, retry}
	return work.JobType{
		Name: datasets.TypeQuery, Summary: "Asks a question in SQL to Parquet files, and keeps the whole answer as a file.", Lane: "datasets",
		Schedulable: true, Retryable: true, Permission: access.DatasetsQuery,
		Check: func(data json.RawMessage) error {
			_, err := readDatasetJob(data)
			return err
		},
		Handler: d.handle,
	}
}

func (d datasetQuery) handle(ctx context.Context, c work.Claim) (json.RawMessage, error) {
	job, err := readDatasetJob(c.Data)
	if err != nil {
		return nil, err
	}
	progress := func(p work.Progress) error {
		return d.retry(ctx, "store a checkpoint", func(ctx context.Context) error {
			return d.claims.Checkpoint(ctx, c, work.Checkpoint{Progress: p, Emit: true})
		})
	}
	found, err := d.run(datasets.WithAsker(ctx, datasets.Asker{UserID: c.UserID, Job: true}), job, progress)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, lasting(err)
	}
	defer found.Close()
	if err := progress(work.Progress{Stage: "storing", Percent: 90}); err != nil {
		return nil, err
	}
	return d.keep(ctx, c, job, found)
}

// lasting makes a failure permanent that the same question meets again. The server of a
// file may answer the next time.
func lasting(err error) error {
	known, ok := errors.AsType[*datasets.Error](err)
	if ok && known.Type != datasets.ErrNetwork && known.Type != datasets.ErrInternal {
		return kappa.Permanent(err)
	}
	return err
}

// keep stores the file and then the artifact, and returns the job's result.
func (d datasetQuery) keep(ctx context.Context, c work.Claim, job datasets.Job, found DatasetResult) (json.RawMessage, error) {
	file := artifacts.File{ContentType: contentTypeOf(job.Format)}
	if err := d.store(ctx, &file, found.Content); err != nil {
		return nil, err
	}
	result := datasetResult{Columns: found.Columns, TotalRows: found.Rows, Format: job.Format, Bytes: file.Bytes}
	payload, err := json.Marshal(result)
	if err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	parameters, err := json.Marshal(job)
	if err != nil {
		return nil, fmt.Errorf("encode the parameters: %w", err)
	}
	artifact := artifacts.NewArtifact{
		Label:   artifacts.Label{Type: artifacts.QueryResult, Representation: "api_direct", Name: new("Answer of " + c.JobID), Parameters: parameters},
		Payload: payload,
	}
	err = d.retry(ctx, "keep the artifact", func(ctx context.Context) error {
		id, err := d.files.SaveArtifactFile(ctx, c, artifact, file)
		result.ArtifactID = &id
		return err
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal(result)
}

// store stores the content in pieces.
func (d datasetQuery) store(ctx context.Context, file *artifacts.File, content io.Reader) error {
	err := d.retry(ctx, "begin a file", func(ctx context.Context) (err error) {
		file.ID, err = d.files.BeginArtifactFile(ctx, file.ContentType)
		return err
	})
	piece := make([]byte, artifacts.Piece)
	for n := 0; err == nil; n++ {
		var size int
		size, err = io.ReadFull(content, piece)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("read the result: %w", err)
		}
		file.Bytes += int64(size)
		err = d.retry(ctx, "write a file", func(ctx context.Context) error { return d.files.AddArtifactPiece(ctx, file.ID, n, piece[:size]) })
	}
	return err
}

func contentTypeOf(format string) string {
	if format == datasets.FormatCSV {
		return "text/csv; charset=utf-8"
	}
	return "application/vnd.apache.parquet"
}

// readDatasetJob returns the data of a job with its defaults filled in. It returns a
// CodeInvalid Error that names every broken rule.
func readDatasetJob(raw json.RawMessage) (datasets.Job, error) {
	job := datasets.Job{Format: datasets.FormatParquet}
	if err := json.Unmarshal(raw, &job); err != nil {
		return job, kappa.Invalid(kappa.FieldError{In: "body", Name: "data", Rule: `must be an object such as {"sql": "SELECT …", "datasets": [{"url": "https://…", "table_name": "t"}], "format": "parquet"}`})
	}
	return job, job.ValidateData()
}
