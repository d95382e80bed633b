package work

import (
	"encoding/json"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/check"
)

// The test job types, which exist only on request.
const (
	TypeNoop   = "noop"
	TypeSleep  = "sleep"
	TypeEffect = "effect"
)

// The limits and defaults of a job.
const (
	DefaultQueue      = "default"
	PriorityUser      = 10   // user-submitted work
	PriorityScheduled = 0    // everything else
	MinPriority       = -100 // the last to be claimed
	MaxPriority       = 100  // the first to be claimed
	DefaultMaxRetries = 3
	QuarantineCrashes = 3                // crashes within CrashWindow after which a job is quarantined: it fails for good
	CrashWindow       = 24 * time.Hour   // see QuarantineCrashes
	SuspectTurn       = 30 * time.Second // how long a suspect that no lane claims holds back the next one
	ApprovalExpires   = 24 * time.Hour   // an unapproved job is cancelled after this
	ProgressPerSecond = 10               // progress events a job may write in a second
	MaxJobList        = 500              // jobs in one answer
	maxQueueName      = 64
	ApprovedByAuto    = "auto"
)

// Job is a unit of work. The JSON form is the API's; every key is present.
type Job struct {
	ID       string  `json:"job_id"`
	Type     string  `json:"job_type"`
	Status   Status  `json:"status"`
	UserID   int     `json:"user_id"`
	Username *string `json:"username"`

	Progress *Progress       `json:"progress"`
	Result   json.RawMessage `json:"result"`
	Error    *string         `json:"error"`

	JobTimes
	JobDocument

	Analysis   *corpus.Analysis `json:"analysis"`
	ApprovedBy *string          `json:"approved_by"`

	// Budget is what the job may spend on calls to models; nil: as much as it takes.
	Budget *corpus.Budget `json:"budget"`
	// PauseReason says why a job that ran awaits approval again; nil for all others.
	PauseReason *string `json:"pause_reason"`
	// WaitingFor is the provider of models that the job waits for; nil: it waits for none.
	WaitingFor *models.ProviderWait `json:"waiting_for"`
	// Spent is what the job has spent on calls to models; nil: it made none.
	Spent *corpus.JobSpending `json:"spent"`

	JobDispatch
}

// JobTimes are the instants of a job's life. One that has not come yet is nil.
type JobTimes struct {
	CreatedAt   kappa.Time  `json:"created_at"`
	ApprovedAt  *kappa.Time `json:"approved_at"`
	ExpiresAt   *kappa.Time `json:"expires_at"` // when it is cancelled unless approved
	StartedAt   *kappa.Time `json:"started_at"` // first claim
	CompletedAt *kappa.Time `json:"completed_at"`
	RunAt       *kappa.Time `json:"run_at"` // it cannot be claimed before; nil when it can be claimed at once
}

// JobDocument describes the document of an ingestion. All is nil for other jobs.
type JobDocument struct {
	ContentHash    *string `json:"content_hash"`
	Ontology       *string `json:"ontology"`
	ProcessingMode *string `json:"processing_mode"`
	Filename       *string `json:"filename"`
	SourceType     *string `json:"source_type"`
	SourcePath     *string `json:"source_path"`
	SourceHostname *string `json:"source_hostname"`
}

// JobDispatch decides when and where a job runs.
type JobDispatch struct {
	Queue           string  `json:"queue"`
	Priority        int     `json:"priority"`
	Lane            *string `json:"lane"` // the lane that claimed it last
	Attempt         int     `json:"attempt"`
	Retries         int     `json:"retries"`
	MaxRetries      int     `json:"max_retries"`
	CancelRequested bool    `json:"cancel_requested"`
	QueuePosition   *int    `json:"queue_position"` // 1-based, for approved jobs
	EventSeq        int64   `json:"event_seq"`      // number of the job's last event
	ParentID        *string `json:"parent_id"`      // the job that made this one for a part of its work
	RetryOf         *string `json:"retry_of"`       // the job whose work this one was submitted for again; it may be gone

	// RetriedAs is the last job that was submitted for the work of this one again; nil for none,
	// and in lists.
	RetriedAs *JobLink `json:"retried_as"`
}

// JobLink is another job, and what became of it.
type JobLink struct {
	JobID  string `json:"job_id"`
	Status Status `json:"status"`

	Of access.Row `json:"-"` // what permissions ask of it
}

// Row returns what permissions ask of a job.
func (j Job) Row() access.Row {
	r := access.Row{Owner: j.UserID, ID: j.ID, Type: j.Type}
	if j.Ontology != nil {
		r.Ontology = *j.Ontology
	}
	return r
}

// CheckPriority returns a kappa.CodeInvalid Error for a priority out of range; in says
// where the value came from.
func CheckPriority(in string, priority int) error {
	var r check.Rules
	r.Add(in, "priority", check.Range(priority, MinPriority, MaxPriority))
	return r.Err()
}
