package schedule

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// scheduleStore keeps the schedules; see postgres.ScheduleStore.
type scheduleStore interface {
	Schedules(ctx context.Context) ([]work.Schedule, error)
	ScheduleRuns(ctx context.Context, name string, limit int) ([]work.ScheduleRun, error)
	Clock(ctx context.Context) (time.Time, error)
	AddSchedule(ctx context.Context, s work.Schedule, next time.Time) (work.Schedule, error)
	ChangeSchedule(ctx context.Context, name string,
		change func(was work.Schedule, now time.Time) (is work.Schedule, next time.Time, err error)) (work.Schedule, error)
	RemoveSchedule(ctx context.Context, name string) error
	RunSchedule(ctx context.Context, name, by string, check func(work.Schedule) error) (work.Job, error)
}

// Schedules lets operators see and change the schedules, on any server. The
// leader's Launcher runs them.
type Schedules struct {
	store scheduleStore
	rules Rules
}

// NewSchedules returns the schedules of a store.
func NewSchedules(store scheduleStore, rules Rules) *Schedules {
	return &Schedules{store: store, rules: rules}
}

// Schedules returns every schedule, by name.
func (s *Schedules) Schedules(ctx context.Context) ([]work.Schedule, error) {
	return s.store.Schedules(ctx)
}

// ScheduleRuns returns how the last due instants of a schedule were answered,
// newest first and at most limit. It returns CodeNotFound for an unknown name.
func (s *Schedules) ScheduleRuns(ctx context.Context, name string, limit int) ([]work.ScheduleRun, error) {
	return s.store.ScheduleRuns(ctx, name, limit)
}

// AddSchedule stores a schedule; it first runs at its next due instant. It
// returns a CodeInvalid Error that names every broken rule, and CodeConflict
// when the name is taken.
func (s *Schedules) AddSchedule(ctx context.Context, n work.NewSchedule) (work.Schedule, error) {
	schedule := n.Schedule()
	now, err := s.store.Clock(ctx)
	if err != nil {
		return work.Schedule{}, err
	}
	next, err := s.rules.check(schedule, work.Schedule{}, now)
	if err != nil {
		return work.Schedule{}, err
	}
	return s.store.AddSchedule(ctx, schedule, next)
}

// UpdateSchedule changes settings of a schedule. Due instants that passed while
// it was not enabled are not made up. It returns CodeInvalid as AddSchedule
// does, and CodeNotFound for an unknown name. One whose job type or condition is
// not known any more can be disabled.
func (s *Schedules) UpdateSchedule(ctx context.Context, name string, u work.ScheduleUpdate) (work.Schedule, error) {
	return s.store.ChangeSchedule(ctx, name, func(was work.Schedule, now time.Time) (work.Schedule, time.Time, error) {
		is, err := u.Apply(was)
		if err != nil {
			return is, time.Time{}, err
		}
		next, err := s.rules.check(is, was, now)
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
// its job type is not known any more or does not take its data.
func (s *Schedules) RunSchedule(ctx context.Context, name, by string) (work.Job, error) {
	return s.store.RunSchedule(ctx, name, by, func(n work.Schedule) error {
		if err := s.rules.Types.CheckSchedule(n.JobType, n.Data); err != nil {
			return kappa.NewError(kappa.CodeConflict, "Cannot run schedule "+name+": "+kappa.ErrorMessage(err))
		}
		return nil
	})
}
