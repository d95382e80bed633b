package work

import "github.com/kappagraph/kappa"

// SchedulerState is what the leader keeps about its cleanup, and whether there
// is a leader.
type SchedulerState struct {
	LastCleanup *kappa.Time
	NextCleanup *kappa.Time
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
	LastCleanup  *kappa.Time    `json:"last_cleanup"`
	NextCleanup  *kappa.Time    `json:"next_cleanup"`
}
