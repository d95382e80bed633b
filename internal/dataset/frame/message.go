package frame

import "github.com/kappagraph/kappa"

// ExitOutOfTime is the exit code of a worker that has used up its processor time.
const ExitOutOfTime = 5

// Op is what a worker is asked to do.
type Op string

// The operations.
const (
	OpValidate Op = "validate" // Tables[0] is a Parquet file
	OpSchema   Op = "schema"   // of Tables[0]; only its footer need be there
	OpQuery    Op = "query"    // SQL over Tables, at most Limit rows back
	OpExport   Op = "export"   // SQL over Tables, the whole result into the file Output
)

// Hello is the first frame of a worker, once its walls stand.
type Hello struct {
	Version    string   `json:"version"`      // of DuckDB
	InForce    []string `json:"in_force"`     // the protections that were set and read back
	NotInForce []string `json:"not_in_force"` // those that this system does not offer, each with its reason
}

// Table is a local file and the table by which the query knows it.
type Table struct {
	Name string `json:"name"`
	Path string `json:"path"` // made by the server, opaque
}

// Request is a task.
type Request struct {
	ID     uint64  `json:"id"`
	Op     Op      `json:"op"`
	Tables []Table `json:"tables"`
	SQL    string  `json:"sql,omitempty"`
	Limit  int     `json:"limit,omitempty"`  // rows
	Format string  `json:"format,omitempty"` // of Output: parquet or csv
	Output string  `json:"output,omitempty"` // an empty file that the server made
}

// Answer is what a worker says of the task with the same ID: first that it begins, then how
// it ended. A worker that ends before the first of the two has done nothing of the task.
type Answer struct {
	ID     uint64               `json:"id"`
	Begins bool                 `json:"begins,omitempty"` // a database is open, and nothing else is said
	Error  *kappa.DatasetError  `json:"error,omitempty"`
	Schema *kappa.DatasetSchema `json:"schema,omitempty"`
	Rows   *kappa.DatasetRows   `json:"rows,omitempty"`

	RSSBytes int64 `json:"rss_bytes,omitempty"` // of the worker after the task
}
