package client

import (
	"context"
	"net/http"
	"time"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Datasets are questions in SQL to Parquet files.
type Datasets struct{ c *Client }

// datasetTimeout is longer than any server takes for a question to datasets.
const datasetTimeout = 11 * time.Minute

// DatasetFile is a Parquet file of this machine, which is sent to the server, and the
// table by which a query knows it.
type DatasetFile struct{ TableName, Path string }

type datasetURL struct {
	URL string `json:"url"`
}

// Validate says whether a URL leads to a Parquet file that the server can read.
func (s Datasets) Validate(ctx context.Context, url string) (datasets.Validity, error) {
	return askDataset[datasets.Validity](ctx, s.c, "/datasets/validate", datasetURL{url})
}

// ValidateFile says the same of a file of this machine.
func (s Datasets) ValidateFile(ctx context.Context, path string) (datasets.Validity, error) {
	return sendDatasets[datasets.Validity](ctx, s.c, "/datasets/upload/validate", nil, DatasetFile{"file", path})
}

// Schema returns what the Parquet file behind a URL says of itself. A failure is an
// [Error] whose Dataset has its class.
func (s Datasets) Schema(ctx context.Context, url string) (datasets.Schema, error) {
	return askDataset[datasets.Schema](ctx, s.c, "/datasets/schema", datasetURL{url})
}

// SchemaOfFile returns the same of a file of this machine.
func (s Datasets) SchemaOfFile(ctx context.Context, path string) (datasets.Schema, error) {
	return sendDatasets[datasets.Schema](ctx, s.c, "/datasets/upload/schema", nil, DatasetFile{"file", path})
}

// Query asks a question to Parquet files behind URLs, and to files of this machine
// besides. A Limit of 0 leaves the number of rows to the server. A failure is an [Error]
// whose Dataset has its class.
func (s Datasets) Query(ctx context.Context, q datasets.Query, files ...DatasetFile) (datasets.Rows, error) {
	request := struct {
		SQL      string             `json:"sql"`
		Datasets []datasets.Dataset `json:"datasets,omitempty"`
		Limit    int                `json:"limit,omitempty"`
	}(q)
	if len(files) > 0 {
		return sendDatasets[datasets.Rows](ctx, s.c, "/datasets/upload/query", request, files...)
	}
	return askDataset[datasets.Rows](ctx, s.c, "/datasets/query", request)
}

// QueryGraph asks a question to the tables of the graph. A Limit of 0 leaves the number of rows
// to the server. A failure is an [Error] whose Dataset has its class.
func (s Datasets) QueryGraph(ctx context.Context, q datasets.GraphQuery) (datasets.GraphRows, error) {
	return askDataset[datasets.GraphRows](ctx, s.c, "/datasets/graph/query", struct {
		SQL        string   `json:"sql"`
		Ontologies []string `json:"ontologies,omitempty"`
		MinEpoch   *int64   `json:"min_epoch,omitempty"`
		Limit      int      `json:"limit,omitempty"`
	}(q))
}

// GraphTables returns the tables of the graph with their columns.
func (s Datasets) GraphTables(ctx context.Context) ([]questions.TableSchema, error) {
	found, err := fetch[struct {
		Tables []questions.TableSchema `json:"tables"`
	}](ctx, s.c, get("/datasets/graph/schema", nil))
	return found.Tables, err
}

// Submit asks a question in a job, which keeps its whole answer as an artifact.
func (s Datasets) Submit(ctx context.Context, job datasets.Job) (api.JobReply, error) {
	return fetchJSONOnce[api.JobReply](ctx, s.c, http.MethodPost, "/datasets/jobs", job)
}

// Status says whether the server answers questions to datasets, and what its
// workers are protected by.
func (s Datasets) Status(ctx context.Context) (datasets.Status, error) {
	return fetch[datasets.Status](ctx, s.c, get("/datasets/status", nil))
}

// askDataset sends v as JSON.
func askDataset[T any](ctx context.Context, c *Client, path string, v any) (T, error) {
	var none T
	in, err := withJSON(http.MethodPost, path, v)
	if err != nil {
		return none, err
	}
	in.timeout = datasetTimeout
	return fetch[T](ctx, c, in)
}

// sendDatasets sends files, and the query about them unless it is nil.
func sendDatasets[T any](ctx context.Context, c *Client, path string, query any, files ...DatasetFile) (T, error) {
	var none T
	form, err := newFileForm(query, files)
	if err != nil {
		return none, err
	}
	return fetch[T](ctx, c, call{
		method: http.MethodPost, path: path, contentType: form.contentType, timeout: uploadTimeout + datasetTimeout,
		bodySize: form.size, body: form.open,
	})
}
