package apitest

import (
	"regexp"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/work"
)

// KnownJob is the id of the job that fakes know at first.
const KnownJob = "job_0123456789ab"

// JobID is the form of a job's id, and that of kappa.IsJobID, which may be what is
// broken.
var JobID = regexp.MustCompile(`\Ajob_[0-9a-f]{12}\z`)

// Job returns the known job in a status. It is the administrator's.
func Job(status work.Status) work.Job {
	j := work.Job{ID: KnownJob, Type: "ingestion", Status: status, UserID: access.AdminUserID}
	j.CreatedAt = kappa.At(time.Date(2026, 1, 31, 8, 0, 0, 123e6, time.UTC))
	j.EventSeq = 2
	return j
}
