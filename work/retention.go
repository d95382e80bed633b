package work

import "time"

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
