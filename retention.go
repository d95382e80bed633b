package kappa

import (
	"errors"
	"time"
)

// ErrDeposed reports that another server leads now: what the caller wanted to
// write as the leader was not written.
var ErrDeposed = errors.New("another server leads")

// Look is what the leader found and did in one look at the queue.
type Look struct {
	Rescued map[string]Status // jobs of dead workers, and where they are now
	Due     []string          // types of the jobs that became due
	Next    time.Duration     // until the next job becomes due, at most what was asked
}

// Retention is how long jobs that have ended are kept.
type Retention struct {
	Completed time.Duration // completed and cancelled jobs
	Failed    time.Duration // failed jobs, and the answers of schedules
}

// The defaults of retention and cleanup.
const (
	DefaultRetainCompleted = 48 * time.Hour
	DefaultRetainFailed    = 7 * 24 * time.Hour
	DefaultCleanupEvery    = time.Hour
)

// PruneKey is how far a pass over the jobs or the contents has come. The zero
// value is the beginning.
type PruneKey struct {
	At time.Time
	ID string
}

// Cleanup is what one pass of the cleanup did.
type Cleanup struct {
	Expired   int `json:"expired"`   // jobs that nobody approved in time
	Recovered int `json:"recovered"` // jobs taken back that reported no progress
	Jobs      int `json:"jobs_deleted"`
	Contents  int `json:"contents_deleted"`
	Runs      int `json:"schedule_runs_deleted"`
}

// SchedulerState is what the leader keeps about its cleanup, and whether there
// is a leader.
type SchedulerState struct {
	LastCleanup *Time
	NextCleanup *Time
	Leads       bool // a live server leads
	Term        int64
}

// SchedulerStatus is what the scheduler does, and how many jobs there are.
type SchedulerStatus struct {
	Running bool            `json:"running"`
	Config  SchedulerConfig `json:"config"`
	Stats   SchedulerStats  `json:"stats"`
}

// SchedulerConfig is how the scheduler is set.
type SchedulerConfig struct {
	CleanupInterval    int `json:"cleanup_interval"`    // seconds
	ApprovalTimeout    int `json:"approval_timeout"`    // hours
	CompletedRetention int `json:"completed_retention"` // hours
	FailedRetention    int `json:"failed_retention"`    // hours
}

// SchedulerStats are the jobs by status, with every status present, and the
// instants of the cleanup.
type SchedulerStats struct {
	JobsByStatus map[Status]int `json:"jobs_by_status"`
	LastCleanup  *Time          `json:"last_cleanup"`
	NextCleanup  *Time          `json:"next_cleanup"`
}

// JobSelection selects jobs for a bulk delete. The zero value selects all.
type JobSelection struct {
	Status    Status        // "" = any
	System    bool          // only jobs of the system
	OlderThan time.Duration // only jobs created longer ago
	Type      string        // "" = any
}

// JobDeletion is what a bulk delete deleted, or would delete.
type JobDeletion struct {
	Count   int          // all of them
	Jobs    []DeletedJob // before a deletion only: the newest, at most MaxDeletionList
	Running int          // selected jobs that are left alone because they run
}

// MaxDeletionList is how many jobs the preview of a bulk delete shows.
const MaxDeletionList = 1000

// DeletedJob is a job as the preview of a bulk delete shows it.
type DeletedJob struct {
	JobID     string  `json:"job_id"`
	JobType   string  `json:"job_type"`
	Status    Status  `json:"status"`
	Ontology  *string `json:"ontology"`
	CreatedAt Time    `json:"created_at"`
}

// ages are the words for how old a job must be.
var ages = map[string]time.Duration{"1h": time.Hour, "24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour, "30d": 30 * 24 * time.Hour}

// ParseAge reads how old a job must be to be deleted: 1h, 24h, 7d or 30d. ""
// is any age. It returns a CodeInvalid Error for any other word.
func ParseAge(word string) (time.Duration, error) {
	if age, ok := ages[word]; ok || word == "" {
		return age, nil
	}
	return 0, Invalid(FieldError{In: "query", Name: "older_than", Rule: "must be one of 1h, 24h, 7d, 30d, got " + quote(word)})
}

// CheckPriority returns a CodeInvalid Error for a priority out of range; in says
// where the value came from.
func CheckPriority(in string, priority int) error {
	if rule := checkRange(priority, MinPriority, MaxPriority); rule != "" {
		return Invalid(FieldError{In: in, Name: "priority", Rule: rule})
	}
	return nil
}

// AllStatuses fills in the statuses that counts lacks.
func AllStatuses(counts map[Status]int) map[Status]int {
	all := make(map[Status]int, len(counts))
	for _, s := range Statuses() {
		all[s] = counts[s]
	}
	return all
}
