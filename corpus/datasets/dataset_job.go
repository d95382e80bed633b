package datasets

import "github.com/kappagraph/kappa/internal/check"

// TypeQuery is the job type of long questions to datasets.
const TypeQuery = "dataset_query"

// The formats of the result of a Job.
const (
	FormatParquet = "parquet"
	FormatCSV     = "csv"
)

// Job asks a question whose whole result is kept as a file.
type Job struct {
	SQL      string    `json:"sql"`
	Datasets []Dataset `json:"datasets"`
	Format   string    `json:"format"` // of the result: parquet or csv
}

// Validate reports every rule that j breaks.
func (j Job) Validate() error { return j.check("") }

// ValidateData reports every rule that j breaks as the data of a job.
func (j Job) ValidateData() error { return j.check("data.") }

func (j Job) check(at string) error {
	var r check.Rules
	Query{SQL: j.SQL, Datasets: j.Datasets, Limit: 1}.check(&r, at)
	r.Add("body", at+"format", check.OneOf(j.Format, FormatParquet, FormatCSV))
	return r.Err()
}
