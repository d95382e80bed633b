// Package frame is what the server and a dataset worker say to each other: the bodies of
// the frames of a sandbox.
package frame

import "github.com/kappagraph/kappa/corpus/datasets"

// The most bytes of a frame towards the worker, of one from it, and of the rows behind that:
// each is a JSON object and ends with a newline.
const (
	MaxRequest = 1 << 20
	MaxAnswer  = 8 << 20
	MaxRows    = 64 << 20
)

// Op is what a worker is asked to do.
type Op string

// The operations.
const (
	OpValidate Op = "validate" // Tables[0] is a Parquet file
	OpSchema   Op = "schema"   // of Tables[0]; only its footer need be there
	OpQuery    Op = "query"    // SQL over Tables, at most Limit rows back
	OpExport   Op = "export"   // SQL over Tables, the whole result into the file Output
)

// Table is a local file and the table by which the query knows it.
type Table struct {
	Name string `json:"name"`
	Path string `json:"path"` // made by the server, opaque
}

// Request is a task.
type Request struct {
	Op     Op      `json:"op"`
	Tables []Table `json:"tables"`
	SQL    string  `json:"sql,omitempty"`
	Limit  int     `json:"limit,omitempty"`  // rows
	Format string  `json:"format,omitempty"` // of Output: parquet or csv
	Output string  `json:"output,omitempty"` // an empty file that the server made
}

// Answer is how a task ended.
type Answer struct {
	Error  *datasets.Error  `json:"error,omitempty"`
	Schema *datasets.Schema `json:"schema,omitempty"`
	Rows   *datasets.Rows   `json:"rows,omitempty"`
}
