package apitest

import (
	"regexp"
	"time"

	"github.com/kappagraph/kappa"
)

// KnownJob is the id of the job that fakes know at first.
const KnownJob = "job_0123456789ab"

// JobID is the form of a job's id, and that of kappa.IsJobID, which may be what is
// broken.
var JobID = regexp.MustCompile(`\Ajob_[0-9a-f]{12}\z`)

// Job returns the known job in a status. It is the administrator's.
func Job(status kappa.Status) kappa.Job {
	j := kappa.Job{ID: KnownJob, Type: "ingestion", Status: status, UserID: kappa.AdminUserID}
	j.CreatedAt = kappa.At(time.Date(2026, 1, 31, 8, 0, 0, 123e6, time.UTC))
	j.EventSeq = 2
	return j
}
