package schedule

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	launchSleep   = 60 * time.Second // longest time between two rounds
	launchRetry   = 2 * time.Second  // after a round that failed
	launchTimeout = 10 * time.Second // of one round
	launchBatch   = 100              // schedules in one round
	maxMissed     = 1000             // missed instants that are recorded one by one
)

// launchStore is what the Launcher asks; see postgres.ScheduleStore.
type launchStore interface {
	NextSchedules(ctx context.Context, limit int) (schedules []work.Schedule, now time.Time, err error)
	Launch(ctx context.Context, term int64, l work.Launch) (jobID string, err error)
}

// Launcher answers the due instants of the schedules, each once: with a job, or
// with a skip and its reason. When instants were missed because no server ran,
// the last of them is made up and the others are skipped.
type Launcher struct {
	store launchStore
	rules Rules
	log   *slog.Logger
	wake  kappa.Waker
}

// NewLauncher returns a Launcher; Run makes it answer.
func NewLauncher(store launchStore, rules Rules, log *slog.Logger) *Launcher {
	return &Launcher{store: store, rules: rules, log: log, wake: kappa.NewWaker()}
}

// Wake has the schedules read now: one was added or changed. It returns at once.
func (l *Launcher) Wake() { l.wake.Wake() }

// Run answers due instants under a leader's term until ctx ends; it returns nil.
// It sleeps until the next one, at most 60 s.
func (l *Launcher) Run(ctx context.Context, term int64) error {
	loop := kappa.Loop{Name: "answering the schedules", Every: launchSleep, Retry: launchRetry, Wake: l.wake.C(), Log: l.log.With("term", term)}
	return loop.RunPlanned(ctx, func(ctx context.Context) (time.Duration, error) { return l.runOnce(ctx, term) })
}

// runOnce answers what is due and returns how long to sleep. A schedule that fails
// does not hold up the others.
func (l *Launcher) runOnce(ctx context.Context, term int64) (time.Duration, error) {
	callCtx, cancel := context.WithTimeout(ctx, launchTimeout)
	defer cancel()
	schedules, now, err := l.store.NextSchedules(callCtx, launchBatch)
	if err != nil {
		return 0, err
	}
	wait := launchSleep
	var failed []error
	for _, s := range schedules {
		next := s.NextRunAt.Time
		if !next.After(now) {
			if next, err = l.answer(callCtx, term, s, now); err != nil {
				failed = append(failed, fmt.Errorf("schedule %s: %w", s.Name, err))
				continue
			}
		}
		wait = min(wait, max(next.Sub(now), time.Millisecond))
	}
	if len(schedules) == launchBatch && !schedules[launchBatch-1].NextRunAt.After(now) {
		wait = time.Millisecond // there may be more that is due
	}
	return wait, errors.Join(failed...)
}

// answer answers the due instants of one schedule and returns its next one.
func (l *Launcher) answer(ctx context.Context, term int64, s work.Schedule, now time.Time) (time.Time, error) {
	launch, err := plan(s, now)
	if err != nil {
		return now, err
	}
	launch.Skip = l.obstacle(ctx, s)
	if ctx.Err() != nil {
		return now, context.Cause(ctx) // the obstacle may be the end of the time
	}
	job, err := l.store.Launch(ctx, term, launch)
	if err != nil {
		return now, err
	}
	log := l.log.With("schedule", s.Name, "for", launch.For, "missed", len(launch.Missed))
	switch {
	case job != "":
		log.InfoContext(ctx, "scheduled job submitted", "job", job)
	case launch.Skip != "":
		log.InfoContext(ctx, "scheduled job skipped", "reason", launch.Skip)
	}
	return launch.Next, nil
}

// obstacle says why a schedule must not run now, or "".
func (l *Launcher) obstacle(ctx context.Context, s work.Schedule) string {
	if err := l.rules.Types.CheckSchedule(s.JobType, s.Data); err != nil {
		return kappa.ErrorMessage(err)
	}
	if s.Condition == nil {
		return ""
	}
	condition, ok := l.rules.Conditions[*s.Condition]
	if !ok {
		return fmt.Sprintf("this server does not know the condition %q", *s.Condition)
	}
	holds, reason, err := condition(ctx, s)
	switch {
	case err != nil:
		l.log.WarnContext(ctx, "checking a condition failed", "schedule", s.Name, "condition", *s.Condition, "err", err)
		return "the condition " + *s.Condition + " could not be checked: " + kappa.ErrorMessage(err)
	case !holds:
		return *s.Condition + ": " + reason
	}
	return ""
}

// plan finds the due instants of a schedule: the last one is to be answered,
// those before were missed. When very many were missed, only the last of them
// are recorded one by one, and the reason counts the others.
func plan(s work.Schedule, now time.Time) (work.Launch, error) {
	first := s.NextRunAt.Time
	table, err := newTimetable(s.Cron, s.TimeZone, first)
	if err != nil {
		return work.Launch{}, err
	}
	launch := work.Launch{Schedule: s, For: first, MissedReason: "missed: no leader was there to answer it"}
	dropped := 0
	for {
		next, ok := table.next(launch.For)
		if !ok {
			return launch, fmt.Errorf("cron %q %w", s.Cron, errNeverDue)
		}
		if next.After(now) {
			launch.Next = next
			break
		}
		if launch.Missed = append(launch.Missed, launch.For); len(launch.Missed) > 2*maxMissed {
			dropped += maxMissed
			launch.Missed = append([]time.Time(nil), launch.Missed[maxMissed:]...)
		}
		launch.For = next
	}
	if extra := len(launch.Missed) - maxMissed; extra > 0 {
		dropped += extra
		launch.Missed = launch.Missed[extra:]
	}
	if dropped > 0 {
		launch.MissedReason += fmt.Sprintf("; so were %d instants from %s on", dropped, kappa.At(first))
	}
	return launch, nil
}
