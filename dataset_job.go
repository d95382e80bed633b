package kappa

// TypeDatasetQuery is the job type of long questions to datasets.
const TypeDatasetQuery = "dataset_query"

// The formats of the result of a DatasetJob.
const (
	FormatParquet = "parquet"
	FormatCSV     = "csv"
)

// DatasetJob asks a question whose whole result is kept as a file.
type DatasetJob struct {
	SQL      string    `json:"sql"`
	Datasets []Dataset `json:"datasets"`
	Format   string    `json:"format"` // of the result: parquet or csv
}

// Validate reports every rule that j breaks.
func (j DatasetJob) Validate() error { return j.check("") }

// ValidateData reports every rule that j breaks as the data of a job.
func (j DatasetJob) ValidateData() error { return j.check("data.") }

func (j DatasetJob) check(at string) error {
	var r rules
	DatasetQuery{SQL: j.SQL, Datasets: j.Datasets, Limit: 1}.check(&r, at)
	r.add("body", at+"format", checkOneOf(j.Format, FormatParquet, FormatCSV))
	return r.err()
}
