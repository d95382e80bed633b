package lanes

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
)

// Condition says whether a schedule may run now; reason says why not. An error
// is a reason too.
type Condition func(ctx context.Context, s kappa.Schedule) (ok bool, reason string, err error)

// conditionStore is what the built-in conditions ask.
type conditionStore interface {
	WaitingJobs(ctx context.Context) (int, error)
	Job(ctx context.Context, id string) (kappa.Job, error)
}

// BuiltinConditions returns the conditions that every server has: queue_idle
// holds while no job waits for a slot, previous_done when the schedule's last
// job is over.
func BuiltinConditions(store conditionStore) map[string]Condition {
	return map[string]Condition{
		"queue_idle": func(ctx context.Context, _ kappa.Schedule) (bool, string, error) {
			waiting, err := store.WaitingJobs(ctx)
			reason := fmt.Sprintf("%d jobs wait for a slot", waiting)
			if waiting == 1 {
				reason = "1 job waits for a slot"
			}
			return waiting == 0, reason, err
		},
		"previous_done": func(ctx context.Context, s kappa.Schedule) (bool, string, error) {
			if s.LastJobID == nil {
				return true, "", nil
			}
			job, err := store.Job(ctx, *s.LastJobID)
			if kappa.ErrorCode(err) == kappa.CodeNotFound {
				return true, "", nil
			}
			return job.Status.Terminal(), fmt.Sprintf("the last job %s is %s", *s.LastJobID, job.Status), err
		},
	}
}

// scheduleStore keeps the schedules; see postgres.Store.
type scheduleStore interface {
	Schedules(ctx context.Context) ([]kappa.Schedule, error)
	ScheduleRuns(ctx context.Context, name string, limit int) ([]kappa.ScheduleRun, error)
	Clock(ctx context.Context) (time.Time, error)
	AddSchedule(ctx context.Context, s kappa.Schedule, next time.Time) (kappa.Schedule, error)
	ChangeSchedule(ctx context.Context, name string,
		change func(was kappa.Schedule, now time.Time) (is kappa.Schedule, next time.Time, err error)) (kappa.Schedule, error)
	RemoveSchedule(ctx context.Context, name string) error
	RunSchedule(ctx context.Context, name, by string, check func(kappa.Schedule) error) (kappa.Job, error)
}

// ScheduleRules are what a schedule may name.
type ScheduleRules struct {
	Types      []string // the job types that this server works on
	Conditions map[string]Condition
}

// Schedules lets operators see and change the schedules, on any server. The
// leader's Launcher runs them.
type Schedules struct {
	store scheduleStore
	rules ScheduleRules
}

// NewSchedules returns the schedules of a store.
func NewSchedules(store scheduleStore, rules ScheduleRules) *Schedules {
	return &Schedules{store: store, rules: rules}
}

// Schedules returns every schedule, by name.
func (s *Schedules) Schedules(ctx context.Context) ([]kappa.Schedule, error) {
	return s.store.Schedules(ctx)
}

// ScheduleRuns returns how the last due instants of a schedule were answered,
// newest first and at most limit. It returns CodeNotFound for an unknown name.
func (s *Schedules) ScheduleRuns(ctx context.Context, name string, limit int) ([]kappa.ScheduleRun, error) {
	return s.store.ScheduleRuns(ctx, name, limit)
}

// AddSchedule stores a schedule; it first runs at its next due instant. It
// returns a CodeInvalid Error that names every broken rule, and CodeConflict
// when the name is taken.
func (s *Schedules) AddSchedule(ctx context.Context, n kappa.NewSchedule) (kappa.Schedule, error) {
	schedule := n.Schedule()
	now, err := s.store.Clock(ctx)
	if err != nil {
		return kappa.Schedule{}, err
	}
	next, err := s.check(schedule, kappa.Schedule{}, now)
	if err != nil {
		return kappa.Schedule{}, err
	}
	return s.store.AddSchedule(ctx, schedule, next)
}

// UpdateSchedule changes settings of a schedule. Due instants that passed while
// it was not enabled are not made up. It returns CodeInvalid as AddSchedule
// does, and CodeNotFound for an unknown name. One whose job type or condition is
// not known any more can be disabled.
func (s *Schedules) UpdateSchedule(ctx context.Context, name string, u kappa.ScheduleUpdate) (kappa.Schedule, error) {
	return s.store.ChangeSchedule(ctx, name, func(was kappa.Schedule, now time.Time) (kappa.Schedule, time.Time, error) {
		is, err := u.Apply(was)
		if err != nil {
			return is, time.Time{}, err
		}
		next, err := s.check(is, was, now)
		// What only concerns the job leaves an instant that is due already as it is.
		if was.NextRunAt != nil && is.Enabled && was.Cron == is.Cron && was.TimeZone == is.TimeZone {
			next = was.NextRunAt.Time
		}
		return is, next, err
	})
}

// RemoveSchedule deletes a schedule; the jobs that it submitted stay. It returns
// CodeNotFound for an unknown name.
func (s *Schedules) RemoveSchedule(ctx context.Context, name string) error {
	return s.store.RemoveSchedule(ctx, name)
}

// RunSchedule submits the job of a schedule now, whatever its condition says
// and whether it is enabled or not; by is who wants it. Its due instants stay
// as they are. It returns CodeNotFound for an unknown name, and CodeConflict when
// nobody works on its job type any more.
func (s *Schedules) RunSchedule(ctx context.Context, name, by string) (kappa.Job, error) {
	return s.store.RunSchedule(ctx, name, by, func(n kappa.Schedule) error {
		if rule := s.rules.checkType(n.JobType); rule != "" {
			return kappa.NewError(kappa.CodeConflict, "Cannot run schedule "+name+": its job_type "+rule)
		}
		return nil
	})
}

// check returns the first due instant after now, and every rule that a schedule
// breaks. What it was before may stay while it is not enabled.
func (s *Schedules) check(n, was kappa.Schedule, now time.Time) (time.Time, error) {
	var broken []kappa.FieldError
	add := func(name, rule string) {
		broken = append(broken, kappa.FieldError{In: "body", Name: name, Rule: rule})
	}
	if rule := s.rules.checkType(n.JobType); rule != "" && (n.Enabled || n.JobType != was.JobType) {
		add("job_type", rule)
	}
	changed := was.Condition == nil || n.Condition != nil && *n.Condition != *was.Condition
	if n.Condition != nil && s.rules.Conditions[*n.Condition] == nil && (n.Enabled || changed) {
		add("condition", "must be one of "+strings.Join(slices.Sorted(maps.Keys(s.rules.Conditions)), ", ")+fmt.Sprintf(", got %q", *n.Condition))
	}
	if _, err := readZone(n.TimeZone); err != nil {
		add("time_zone", fmt.Sprintf("must be an IANA time zone such as UTC or Europe/Berlin, got %q", n.TimeZone))
	}
	table, err := newTimetable(n.Cron, kappa.DefaultTimeZone, now)
	if err != nil {
		add("cron", cronRule(n.Cron, err))
	}
	if err := kappa.JoinInvalid(n.Validate(), kappa.Invalid(broken...)); err != nil {
		return time.Time{}, err
	}
	if table, err = newTimetable(n.Cron, n.TimeZone, now); err != nil {
		return time.Time{}, kappa.Invalid(kappa.FieldError{In: "body", Name: "cron", Rule: cronRule(n.Cron, err)})
	}
	next, _ := table.next(now) // newTimetable has found one
	return next, nil
}

// cronRule says what is wrong with an expression.
func cronRule(expression string, err error) string {
	switch {
	case errors.Is(err, errNeverDue):
		return fmt.Sprintf("must name a day that comes, got %q", expression)
	case errors.Is(err, errNotFiveFields):
		return fmt.Sprintf("%v; got %q", errNotFiveFields, expression)
	default:
		return fmt.Sprintf("%v: %v; got %q", errNotFiveFields, err, expression)
	}
}

// checkType returns the rule that a job type breaks, or "".
func (r ScheduleRules) checkType(jobType string) string {
	switch {
	case jobType == kappa.TypeIngestion:
		return "must not be ingestion, which needs a document"
	case slices.Contains(r.Types, jobType):
		return ""
	}
	types := slices.DeleteFunc(slices.Clone(r.Types), func(t string) bool { return t == kappa.TypeIngestion })
	if len(types) == 0 {
		return fmt.Sprintf("is not known: this server has no job types to schedule, got %q", jobType)
	}
	return fmt.Sprintf("must be one of %s, got %q", strings.Join(types, ", "), jobType)
}
