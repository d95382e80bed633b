package work

import "github.com/kappagraph/kappa"

// WorkerStatus shows the running and the waiting jobs, the lanes and the workers.
type WorkerStatus struct {
	RunningJobs  []RunningJob  `json:"running_jobs"`
	RunningCount int           `json:"running_count"`
	QueuedByType []QueuedType  `json:"queued_by_type"`
	TotalQueued  int           `json:"total_queued"`
	Lanes        []LaneSummary `json:"lanes"`
	TotalSlots   int           `json:"total_slots"` // of enabled lanes
	SlotsInUse   int           `json:"slots_in_use"`
	SlotCeiling  int           `json:"slot_ceiling"`       // highest number of slots that a lane uses
	OverCeiling  []string      `json:"lanes_over_ceiling"` // lanes whose rows have more
	Unclaimed    []string      `json:"unclaimed_types"`    // job types with work that no lane claims; see Lane.Claims
	Unhandled    []string      `json:"unhandled_types"`    // job types with work that the leader has no handler for
	Workers      []Worker      `json:"workers"`            // servers
	// Remote adds the workers on other machines up, which RemoteWorkers lists.
	Remote        RemoteSummary     `json:"remote"`
	RemoteWorkers []RemoteWorker    `json:"remote_workers"`
	Processes     []WorkerProcess   `json:"processes"` // servers and remote workers in one list; see ListProcesses
	Leader        *Leader           `json:"leader"`
	EventSources  []EventSource     `json:"event_sources"` // of the server that answers
	Orphans       []Orphan          `json:"orphans"`       // of the server that answers
	Loops         []kappa.LoopState `json:"loops"`         // what the server that answers does again and again
	// UnheededProxy is an address from which requests came that name their client, while the
	// server that answers knows no proxy that may.
	UnheededProxy string `json:"unheeded_proxy,omitempty"`
	// Certificates are those that the server that answers shows over TLS.
	Certificates []Certificate `json:"certificates,omitempty"`
}

// RunningJob is a job in a slot.
type RunningJob struct {
	JobID     string      `json:"job_id"`
	JobType   string      `json:"job_type"`
	Lane      *string     `json:"lane"`
	ClaimedBy *string     `json:"claimed_by"`
	ClaimedAt *kappa.Time `json:"claimed_at"`
	StartedAt *kappa.Time `json:"started_at"`
	Priority  int         `json:"priority"`
	// HeartbeatAge is the time since its worker's last heartbeat, in seconds.
	HeartbeatAge *float64 `json:"heartbeat_age_seconds"`
}

// QueuedType says how many jobs of one type wait.
type QueuedType struct {
	JobType string      `json:"job_type"`
	Count   int         `json:"count"`
	Oldest  *kappa.Time `json:"oldest"` // since when the oldest job waits that may run now; nil when no job may run yet
}

// LaneSummary is the short form of a lane.
type LaneSummary struct {
	Name     string `json:"name"`
	MaxSlots int    `json:"max_slots"`
	Enabled  bool   `json:"enabled"`
}

// Worker is a process that claims jobs.
type Worker struct {
	ID       string `json:"worker_id"`
	Hostname string `json:"hostname"`
	PID      int    `json:"pid"`
	// JobTypes are those that it has handlers for; nil when it does not say.
	JobTypes     []string   `json:"job_types"`
	Version      string     `json:"version"`
	StartedAt    kappa.Time `json:"started_at"`
	HeartbeatAge float64    `json:"heartbeat_age_seconds"`
	Running      int        `json:"running"` // jobs
}

// Leader is the server that leads: it rescues jobs, runs schedules and cleans up.
type Leader struct {
	WorkerID string     `json:"worker_id"`
	Term     int64      `json:"term"`
	Since    kappa.Time `json:"since"`
}
