package work

import (
	"crypto/sha256"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/check"
)

// NewJob is what it takes to submit a job of any type.
type NewJob struct {
	Type        string          `json:"job_type"`
	Queue       string          `json:"queue"`
	Priority    int             `json:"priority"`
	Data        json.RawMessage `json:"data"`
	RunAt       *kappa.Time     `json:"run_at"` // not before this instant; nil is at once
	AutoApprove bool            `json:"auto_approve"`
	MaxRetries  int             `json:"max_retries"`
	// RetriesAsked says that MaxRetries was asked for: the job keeps it, whatever its type says.
	RetriesAsked bool `json:"-"`
	UserID       int  `json:"-"`
	// DeadlineMS is how long a remote worker may take for an attempt; nil is
	// DefaultRunDeadline.
	DeadlineMS *int `json:"deadline_ms,omitempty"`
	// Remote says that remote workers take it: its type is a remote one.
	Remote bool `json:"-"`
	// Budget is what it may spend on calls to models; nil sets no limit.
	Budget *corpus.Budget `json:"budget,omitempty"`
	// ParentID is the job that made this one for a part of its work.
	ParentID string `json:"-"`
	// Key, unless "", makes sending again safe: of the submissions of one user with
	// the same key, within SubmissionKept, one makes a job, which the others get.
	Key string `json:"-"`
}

// DefaultUserRate is how many requests an account may send in a second.
const DefaultUserRate = 10_000

// SubmissionKept is how long the key of a submission is known, unless another time is
// chosen.
const SubmissionKept = 24 * time.Hour

const maxSubmissionKey = 255 // characters

// Fingerprint differs between different submissions under the same key. Of a job for a
// part of another one the key says it all: what is known besides may have grown since.
func (j NewJob) Fingerprint() []byte {
	if j.ParentID != "" {
		sum := sha256.Sum256([]byte("part " + j.ParentID + " " + j.Type))
		return sum[:]
	}
	text, _ := json.Marshal(j) //nolint:errchkjson // validated data can always be encoded
	sum := sha256.Sum256(text)
	return sum[:]
}

// Validate reports every rule that j breaks.
func (j NewJob) Validate() error {
	var r check.Rules
	r.Add("body", "job_type", check.Name(j.Type, check.MaxJobType))
	r.Add("body", "queue", checkQueue(j.Queue))
	r.Add("header", "Idempotency-Key", checkSubmissionKey(j.Key))
	r.Add("body", "priority", check.Range(j.Priority, MinPriority, MaxPriority))
	r.Add("body", "max_retries", check.Range(j.MaxRetries, 0, 100))
	if j.DeadlineMS != nil {
		r.Add("body", "deadline_ms", check.Range(*j.DeadlineMS, int(MinRunDeadline.Milliseconds()), int(MaxRunDeadline.Milliseconds())))
	}
	if j.RunAt != nil {
		r.Add("body", "run_at", check.Instant(*j.RunAt))
	}
	place, rule := check.Data(j.Data)
	r.Add("body", place, rule)
	return r.Err()
}

// Retry submits the work of an ended job again, for a user. Its Key is like that
// of a NewJob.
type Retry struct {
	JobID  string
	UserID int
	Key    string
	Gaps   bool // also of a job that completed with chunks that could not be read
	From   RetryFrom
	Data   json.RawMessage // instead of the old job's; nil leaves it
}

// Validate reports every rule that r breaks.
func (r Retry) Validate() error {
	var broken check.Rules
	broken.Add("header", "Idempotency-Key", checkSubmissionKey(r.Key))
	if r.From != "" {
		broken.Add("query", "from", check.OneOf(r.From, RetryFromStart, RetryFromCheckpoint))
	}
	if r.From == RetryFromCheckpoint && r.Data != nil {
		broken.Add("query", "from", "must not be checkpoint with other data: what was done belongs to the old one")
	}
	place, rule := check.Data(r.Data)
	broken.Add("body", place, rule)
	return broken.Err()
}

// Resumes reports whether the new job takes over the checkpoint of the old one.
func (r Retry) Resumes() bool { return r.From == RetryFromCheckpoint }

// Fingerprint differs between different submissions under the same key.
func (r Retry) Fingerprint() []byte {
	text := "retry " + r.JobID
	if r.From != "" || r.Data != nil {
		text += " " + string(r.From) + " " + string(r.Data)
	}
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// checkQueue is the rule of a queue's name.
func checkQueue(name string) string {
	word := func(r rune) bool {
		return r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
	}
	if name == "" || len(name) > maxQueueName || strings.ContainsFunc(name, func(r rune) bool { return !word(r) }) {
		return "must be 1 to " + strconv.Itoa(maxQueueName) + " letters, digits and _, got " + check.Quote(name)
	}
	return ""
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
