package serve

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kappagraph/kappa/cmd/kg/local"
)

// datasetSettings are how questions to datasets are answered.
type datasetSettings struct {
	Workers    int    // 0: none are answered
	Bin        string // of the worker; empty: beside kg
	Dir        string // below which the files are kept; empty: that for temporary files
	Private    string // privateOff or privateAllow
	Allow      string // hosts, with commas between
	Memory     int64  // bytes of a worker
	MaxFile    int64  // bytes
	Quota      int64  // bytes of all files
	Fresh      time.Duration
	Within     time.Duration // of a question
	JobsWithin time.Duration
}

// Whether datasets and documents are fetched from private networks, and webhooks sent there.
const (
	privateOff   = "off"
	privateAllow = "allow"
)

// leastDatasetMemory is below what DuckDB does not run in reliably.
const leastDatasetMemory = 1536 << 20

// table returns the settings of datasets.
func (d *datasetSettings) table() []setting {
	return []setting{
		number("KG_DATASET_WORKERS", 4, 0, 64, "processes that answer questions to datasets at once; 0 switches them off", &d.Workers),
		text("KG_DATASET_BIN", "", "", "the program of a dataset worker", &d.Bin).without("kg-data beside kg"),
		text("KG_DATASET_DIR", "", "", "directory below which the files of datasets are kept", &d.Dir).without("the system's for temporary files"),
		oneOf("KG_DATASET_PRIVATE", []string{privateOff, privateAllow}, "allow fetches datasets from private networks and any port too", &d.Private),
		text("KG_DATASET_ALLOW", "", "", "hosts that datasets are fetched from, with commas between; *.example.com is all below one", &d.Allow).without("all"),
		size("KG_DATASET_MEMORY_BYTES", "2GiB", "address space of a dataset worker, 1536MiB at least", &d.Memory),
		size("KG_DATASET_MAX_BYTES", "2GiB", "largest file of a dataset", &d.MaxFile),
		size("KG_DATASET_QUOTA_BYTES", "8GiB", "disk for the files of all datasets", &d.Quota),
		seconds("KG_DATASET_FRESH_SECONDS", 60, 1, 86400, "how long a file is used without asking its server", &d.Fresh),
		seconds("KG_DATASET_SECONDS", 60, 1, 600, "how long a question to datasets may take", &d.Within),
		seconds("KG_DATASET_JOB_SECONDS", 600, 1, 3600, "how long a job with such a question may take", &d.JobsWithin),
	}
}

// check returns what is wrong with settings that their own rules allow.
func (d *datasetSettings) check() (broken []error) {
	if d.Memory < leastDatasetMemory {
		broken = append(broken, fmt.Errorf("KG_DATASET_MEMORY_BYTES: must be at least 1536MiB, got %d bytes", d.Memory))
	}
	if d.MaxFile < 1 || d.Quota < d.MaxFile {
		broken = append(broken, errors.New("KG_DATASET_QUOTA_BYTES: must be at least KG_DATASET_MAX_BYTES, and that at least 1"))
	}
	if d.Bin != "" && !local.Runnable(d.Bin) {
		broken = append(broken, fmt.Errorf("KG_DATASET_BIN: must be a program, got %q", d.Bin))
	}
	return broken
}

// hosts returns the hosts that datasets may come from; none is any.
func (d *datasetSettings) hosts() []string { return hostsOf(d.Allow) }

// hostsOf returns the hosts of a list with commas between.
func hostsOf(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// program returns the program of a worker: the one that was chosen, else the one beside
// kg, else "".
func (d *datasetSettings) program() string {
	if d.Bin != "" {
		return d.Bin
	}
	return local.DataProgram()
}
