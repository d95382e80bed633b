package work

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

const (
	maxScheduleName = 100
	maxCron         = 200 // characters
	maxTimeZone     = 100
	maxCondition    = 100
)

// ApprovedBySystem is in approved_by of the jobs that the clock submits.
const ApprovedBySystem = "system"

// DefaultTimeZone is the zone of a schedule that names none.
const DefaultTimeZone = "UTC"

// ScheduleOutcome is how a due instant of a schedule was answered.
type ScheduleOutcome string

// The outcomes: a job was submitted, or none was for a reason that is recorded.
const (
	ScheduleSubmitted ScheduleOutcome = "submitted"
	ScheduleSkipped   ScheduleOutcome = "skipped"
)

// Schedule is a job that the clock submits, again and again. Each of its due
// instants is answered once: by a job, or by a skip with its reason.
type Schedule struct {
	ID        int             `json:"-"`
	Name      string          `json:"name"`
	JobType   string          `json:"job_type"`
	Cron      string          `json:"cron"`      // minute, hour, day of month, month, day of week
	TimeZone  string          `json:"time_zone"` // IANA name; Cron is read in it
	Enabled   bool            `json:"enabled"`
	Condition *string         `json:"condition"` // what must hold for a run; nil is nothing
	Data      json.RawMessage `json:"data"`
	Priority  int             `json:"priority"`

	NextRunAt   *kappa.Time      `json:"next_run_at"`  // nil while it is not enabled
	LastRunAt   *kappa.Time      `json:"last_run_at"`  // the last instant that was answered, or run by hand
	LastJobID   *string          `json:"last_job_id"`  // the job may be gone
	LastOutcome *ScheduleOutcome `json:"last_outcome"` // nil before the first run
	LastReason  *string          `json:"last_reason"`  // why it was skipped
	UpdatedAt   kappa.Time       `json:"updated_at"`
}

// Validate reports every rule that s breaks, apart from those about the job types, the
// time zones and the conditions that this server knows.
func (s Schedule) Validate() error {
	var r check.Rules
	r.Add("body", "name", check.Name(s.Name, maxScheduleName))
	r.Add("body", "cron", check.Name(s.Cron, maxCron))
	r.Add("body", "time_zone", check.Name(s.TimeZone, maxTimeZone))
	if s.Condition != nil {
		r.Add("body", "condition", check.Name(*s.Condition, maxCondition))
	}
	return kappa.JoinInvalid(r.Err(), NewJob{
		Type: s.JobType, Queue: DefaultQueue, Priority: s.Priority, Data: s.Data, MaxRetries: DefaultMaxRetries,
	}.Validate())
}

// NewSchedule is what it takes to add a schedule.
type NewSchedule struct {
	Name      string          `json:"name"`
	JobType   string          `json:"job_type"`
	Cron      string          `json:"cron"`
	TimeZone  string          `json:"time_zone"` // "" is DefaultTimeZone
	Enabled   *bool           `json:"enabled"`   // nil is true
	Condition string          `json:"condition"` // "" is none
	Data      json.RawMessage `json:"data"`
	Priority  int             `json:"priority"`
}

// Schedule returns n with its defaults filled in.
func (n NewSchedule) Schedule() Schedule {
	s := Schedule{
		Name: strings.TrimSpace(n.Name), JobType: n.JobType, Cron: strings.TrimSpace(n.Cron), TimeZone: n.TimeZone,
		Enabled: n.Enabled == nil || *n.Enabled, Data: n.Data, Priority: n.Priority,
	}
	if s.TimeZone == "" {
		s.TimeZone = DefaultTimeZone
	}
	if n.Condition != "" {
		s.Condition = &n.Condition
	}
	return s
}

// ScheduleUpdate changes a schedule; nil leaves a setting as it is.
type ScheduleUpdate struct {
	JobType   *string         `json:"job_type,omitempty"`
	Cron      *string         `json:"cron,omitempty"`
	TimeZone  *string         `json:"time_zone,omitempty"`
	Enabled   *bool           `json:"enabled,omitempty"`
	Condition *string         `json:"condition,omitempty"` // "" removes it
	Data      json.RawMessage `json:"data,omitempty"`
	Priority  *int            `json:"priority,omitempty"`
}

// Apply returns s with the changes of u. It returns a kappa.CodeInvalid Error when u
// changes nothing.
func (u ScheduleUpdate) Apply(s Schedule) (Schedule, error) {
	if u.JobType == nil && u.Cron == nil && u.TimeZone == nil && u.Enabled == nil && u.Condition == nil && u.Data == nil && u.Priority == nil {
		return s, kappa.NewError(kappa.CodeInvalid, "No fields to update")
	}
	set(&s.JobType, u.JobType)
	set(&s.Cron, u.Cron)
	set(&s.TimeZone, u.TimeZone)
	set(&s.Enabled, u.Enabled)
	set(&s.Priority, u.Priority)
	if u.Condition != nil {
		if s.Condition = u.Condition; *u.Condition == "" {
			s.Condition = nil
		}
	}
	if u.Data != nil {
		s.Data = slices.Clone(u.Data)
	}
	return s, nil
}

// set overwrites *to unless the new value is nil.
func set[T any](to *T, value *T) {
	if value != nil {
		*to = *value
	}
}

// ScheduleRun is how one due instant of a schedule was answered.
type ScheduleRun struct {
	ScheduledFor kappa.Time `json:"scheduled_for"`
	JobID        *string    `json:"job_id"`      // nil when skipped
	SkipReason   *string    `json:"skip_reason"` // nil when submitted
}

// Launch answers the due instants of a schedule: the last one by a job or a skip, and
// the earlier ones, when no server ran, by skips.
type Launch struct {
	Schedule     Schedule // as it was read; the launch does nothing when it has changed since
	For          time.Time
	Skip         string // why there is no job; "" submits one
	Missed       []time.Time
	MissedReason string
	Next         time.Time // the first instant after For
}
