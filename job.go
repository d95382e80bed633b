package kappa

import (
	"crypto/sha256"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// The job types that Kappa works itself. The test types exist only on request.
const (
	TypeIngestion = "ingestion"
	TypeNoop      = "noop"
	TypeSleep     = "sleep"
	TypeEffect    = "effect"
)

// The limits and defaults of a job.
const (
	DefaultQueue      = "default"
	PriorityUser      = 10   // user-submitted work
	PriorityScheduled = 0    // everything else
	MinPriority       = -100 // the last to be claimed
	MaxPriority       = 100  // the first to be claimed
	DefaultMaxRetries = 3
	QuarantineCrashes = 3                // crashes in CrashWindow after which a job is failed for good
	CrashWindow       = 24 * time.Hour   // see QuarantineCrashes
	SuspectTurn       = 30 * time.Second // after which a suspect that no lane takes up lets the next one go
	ApprovalExpires   = 24 * time.Hour   // an unapproved job is cancelled after this
	ProgressPerSecond = 10               // progress events a job may write in a second
	MaxJobList        = 500              // jobs in one answer
	maxOffset         = 1_000_000        // of any list
	maxQueueName      = 100
	maxJobTypeName    = 100
	maxUsername       = 100
	maxJobDataBytes   = 64 << 10
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

	Analysis   *Analysis `json:"analysis"`
	ApprovedBy *string   `json:"approved_by"`

	JobDispatch
}

// JobTimes are the instants of a job's life; nil is not yet.
type JobTimes struct {
	CreatedAt   Time  `json:"created_at"`
	ApprovedAt  *Time `json:"approved_at"`
	ExpiresAt   *Time `json:"expires_at"` // when it is cancelled unless approved
	StartedAt   *Time `json:"started_at"` // first claim
	CompletedAt *Time `json:"completed_at"`
	RunAt       *Time `json:"run_at"` // until when it waits, before it can be claimed; nil when it does not
}

// JobDocument is what an ingestion says about its document; nil otherwise.
type JobDocument struct {
	ContentHash    *string `json:"content_hash"`
	Ontology       *string `json:"ontology"`
	ProcessingMode *string `json:"processing_mode"`
	Filename       *string `json:"filename"`
	SourceType     *string `json:"source_type"`
	SourcePath     *string `json:"source_path"`
	SourceHostname *string `json:"source_hostname"`
}

// JobDispatch is what decides when and where a job runs.
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
}

// Progress is how far a job has come. Percent never decreases within one
// attempt.
type Progress struct {
	Stage           string  `json:"stage"`
	Percent         float64 `json:"percent"` // 0 to 100
	ChunksTotal     int     `json:"chunks_total"`
	ChunksProcessed int     `json:"chunks_processed"`
	CurrentChunk    int     `json:"current_chunk"` // 1-based; 0 before the first
	Counts
	ItemsTotal     int    `json:"items_total,omitempty"`
	ItemsProcessed int    `json:"items_processed,omitempty"`
	Message        string `json:"message,omitempty"`
}

// Counts are what an ingestion has written. Each chunk counts once, also after
// a resume.
type Counts struct {
	SourcesCreated       int `json:"sources_created"`
	ConceptsCreated      int `json:"concepts_created"`
	ConceptsLinked       int `json:"concepts_linked"`
	InstancesCreated     int `json:"instances_created"`
	RelationshipsCreated int `json:"relationships_created"`
}

// Add returns the sum of c and o.
func (c Counts) Add(o Counts) Counts {
	return Counts{
		SourcesCreated:       c.SourcesCreated + o.SourcesCreated,
		ConceptsCreated:      c.ConceptsCreated + o.ConceptsCreated,
		ConceptsLinked:       c.ConceptsLinked + o.ConceptsLinked,
		InstancesCreated:     c.InstancesCreated + o.InstancesCreated,
		RelationshipsCreated: c.RelationshipsCreated + o.RelationshipsCreated,
	}
}

// NewJob is what it takes to submit a job of any type.
type NewJob struct {
	Type        string          `json:"job_type"`
	Queue       string          `json:"queue"`
	Priority    int             `json:"priority"`
	Data        json.RawMessage `json:"data"`
	RunAt       *Time           `json:"run_at"` // not before this instant; nil is at once
	AutoApprove bool            `json:"auto_approve"`
	MaxRetries  int             `json:"max_retries"`
	UserID      int             `json:"-"`
	// Key, unless "", makes sending again safe: of the submissions of one user with
	// the same key, within SubmissionKept, one makes a job, which the others get.
	Key string `json:"-"`
}

// SubmissionKept is how long the key of a submission is known.
const SubmissionKept = 24 * time.Hour

const maxSubmissionKey = 255 // characters

// Fingerprint tells submissions under the same key apart.
func (j NewJob) Fingerprint() []byte {
	text, _ := json.Marshal(j) // of validated data it cannot fail
	sum := sha256.Sum256(text)
	return sum[:]
}

// Validate reports every rule that j breaks.
func (j NewJob) Validate() error {
	var broken []FieldError
	add := func(name, rule string) {
		if rule != "" {
			broken = append(broken, FieldError{In: "body", Name: name, Rule: rule})
		}
	}
	add("job_type", checkName(j.Type, maxJobTypeName))
	add("queue", checkName(j.Queue, maxQueueName))
	if rule := checkSubmissionKey(j.Key); rule != "" {
		broken = append(broken, FieldError{In: "header", Name: "Idempotency-Key", Rule: rule})
	}
	add("priority", checkRange(j.Priority, MinPriority, MaxPriority))
	add("max_retries", checkRange(j.MaxRetries, 0, 100))
	switch {
	case len(j.Data) > maxJobDataBytes:
		add("data", "must be at most 65536 bytes of JSON, got "+strconv.Itoa(len(j.Data)))
	case len(j.Data) > 0 && !json.Valid(j.Data):
		add("data", "must be JSON")
	}
	return Invalid(broken...)
}

// Retry submits the work of an ended job again, for a user. Its Key is like that
// of a NewJob.
type Retry struct {
	JobID  string
	UserID int
	Key    string
}

// Validate reports every rule that r breaks.
func (r Retry) Validate() error {
	if rule := checkSubmissionKey(r.Key); rule != "" {
		return Invalid(FieldError{In: "header", Name: "Idempotency-Key", Rule: rule})
	}
	return nil
}

// Fingerprint tells submissions under the same key apart.
func (r Retry) Fingerprint() []byte {
	sum := sha256.Sum256([]byte("retry " + r.JobID))
	return sum[:]
}

// checkSubmissionKey returns the rule that a key breaks, or "".
func checkSubmissionKey(key string) string {
	switch {
	case len(key) > maxSubmissionKey:
		return "must have at most " + strconv.Itoa(maxSubmissionKey) + " characters, got " + strconv.Itoa(len(key))
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "must be printable ASCII without spaces"
	}
	return ""
}

// checkRange returns the rule that v breaks, or "".
func checkRange(v, least, most int) string {
	if v < least {
		return "must be at least " + strconv.Itoa(least) + ", got " + strconv.Itoa(v)
	}
	if v > most {
		return "must be at most " + strconv.Itoa(most) + ", got " + strconv.Itoa(v)
	}
	return ""
}

// JobFilter selects jobs. The zero value selects all.
type JobFilter struct {
	Status   Status // "" = any
	Ontology string // "" = any
	Type     string // "" = any
	User     string // a user id or a username; "" = any
	Limit    int    // 1 to 500
	Offset   int
}

// Validate reports every rule that f breaks, in the names of the API's query.
func (f JobFilter) Validate() error {
	var broken []FieldError
	add := func(name, rule string) {
		if rule != "" {
			broken = append(broken, FieldError{In: "query", Name: name, Rule: rule})
		}
	}
	optional := func(name, value string, most int) {
		if value != "" {
			add(name, checkName(value, most))
		}
	}
	optional("ontology", f.Ontology, MaxOntologyName)
	optional("job_type", f.Type, maxJobTypeName)
	optional("client_id", f.User, maxUsername)
	add("limit", checkRange(f.Limit, 1, MaxJobList))
	add("offset", checkRange(f.Offset, 0, maxOffset))
	return Invalid(broken...)
}
