package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// fakeSchedules keeps schedules and the answers to their due instants.
type fakeSchedules struct {
	mu        sync.Mutex
	schedules []work.Schedule
	jobs      []time.Time // due instants answered by a job
	skips     map[time.Time]string
	rounds    int
	err       error
}

func newFakeSchedules(schedules ...work.Schedule) *fakeSchedules {
	return &fakeSchedules{schedules: schedules, skips: map[time.Time]string{}}
}

func (f *fakeSchedules) NextSchedules(_ context.Context, limit int) ([]work.Schedule, time.Time, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rounds++
	enabled := slices.DeleteFunc(slices.Clone(f.schedules), func(s work.Schedule) bool { return !s.Enabled })
	slices.SortStableFunc(enabled, func(a, b work.Schedule) int { return a.NextRunAt.Compare(b.NextRunAt.Time) })
	return enabled[:min(limit, len(enabled))], time.Now(), f.err
}

func (f *fakeSchedules) Launch(_ context.Context, _ int64, l work.Launch) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, s := range f.schedules {
		if s.ID != l.Schedule.ID || !s.NextRunAt.Equal(l.Schedule.NextRunAt.Time) {
			continue
		}
		next := kappa.At(l.Next)
		f.schedules[i].NextRunAt = &next
		for _, at := range l.Missed {
			f.skips[at] = l.MissedReason
		}
		if l.Skip != "" {
			f.skips[l.For] = l.Skip
			return "", nil
		}
		f.jobs = append(f.jobs, l.For)
		return "job_000000000001", nil
	}
	return "", nil
}

func schedule(cron string, next time.Time) work.Schedule {
	at := kappa.At(next)
	return work.Schedule{ID: 1, Name: "s", JobType: "work", Cron: cron, TimeZone: "UTC", Enabled: true, NextRunAt: &at}
}

var testRules = Rules{Types: testTypes(), Conditions: map[string]Condition{
	"never": func(context.Context, work.Schedule) (bool, string, error) { return false, "it never holds", nil },
	"fails": func(context.Context, work.Schedule) (bool, string, error) { return false, "", errors.New("secret") },
}}

// testTypes are work, whose data may not be {"bad": true}, and types that cannot be
// scheduled.
func testTypes() *work.JobTypes {
	handler := func(context.Context, work.Claim) (json.RawMessage, error) { return nil, nil }
	types, err := work.NewJobTypes(
		work.JobType{Name: "ingestion", Lane: "system", NeedsDocument: true, Handler: handler},
		work.JobType{Name: "by_hand", Lane: "system", Handler: handler},
		work.JobType{Name: "work", Lane: "system", Schedulable: true, Handler: handler, Check: func(data json.RawMessage) error {
			if strings.Contains(string(data), "bad") {
				return kappa.Invalid(kappa.FieldError{In: "body", Name: "data.bad", Rule: "is not known"})
			}
			return nil
		}},
	)
	if err != nil {
		panic(err)
	}
	return types
}

// launching runs a Launcher for a while.
func launching(t *testing.T, f *fakeSchedules, rules Rules, during time.Duration, then func(l *Launcher)) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	l := NewLauncher(f, rules, quiet)
	var group sync.WaitGroup
	group.Go(func() { _ = l.Run(ctx, 1) })
	time.Sleep(during) // fake time
	if then != nil {
		then(l)
	}
	stop()
	group.Wait()
}

func TestLauncher(t *testing.T) {
	t.Run("submits a job at each due instant, and at no other", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			first := time.Now().Truncate(time.Minute).Add(5 * time.Minute)
			f := newFakeSchedules(schedule("*/5 * * * *", first))
			launching(t, f, testRules, 21*time.Minute, nil)
			want := []time.Time{first, first.Add(5 * time.Minute), first.Add(10 * time.Minute), first.Add(15 * time.Minute)}
			if !slices.EqualFunc(f.jobs, want, time.Time.Equal) || len(f.skips) != 0 {
				t.Errorf("submitted at %v, skipped %v, want %v", f.jobs, f.skips, want)
			}
			if f.rounds > 40 {
				t.Errorf("%d rounds in 21 minutes", f.rounds)
			}
		})
	})
	t.Run("more that are due at once than one round takes are all in time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeSchedules()
			for id := range 2*launchBatch + 50 {
				s := schedule("0 0 * * *", time.Now())
				s.ID = id
				f.schedules = append(f.schedules, s)
			}
			launching(t, f, testRules, time.Second, nil)
			if len(f.jobs) != len(f.schedules) {
				t.Errorf("%d of %d are submitted within a second", len(f.jobs), len(f.schedules))
			}
		})
	})
	t.Run("makes up what was missed once, and records the rest", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			now := time.Now().Truncate(time.Hour)
			f := newFakeSchedules(schedule("0 * * * *", now.Add(-3*time.Hour)))
			launching(t, f, testRules, time.Minute, nil)
			if len(f.jobs) != 1 || !f.jobs[0].Equal(now) || len(f.skips) != 3 {
				t.Errorf("submitted at %v, skipped %v; it is %v", f.jobs, f.skips, now)
			}
		})
	})
	t.Run("skips with the reason", func(t *testing.T) {
		for name, c := range map[string]struct {
			change func(s *work.Schedule)
			reason string
		}{
			"a condition that does not hold":      {func(s *work.Schedule) { s.Condition = new("never") }, "never: it never holds"},
			"a condition that cannot be checked":  {func(s *work.Schedule) { s.Condition = new("fails") }, "could not be checked: internal error"},
			"a condition that nobody knows":       {func(s *work.Schedule) { s.Condition = new("moon") }, `does not know the condition "moon"`},
			"a job type that nobody works on":     {func(s *work.Schedule) { s.JobType = "gone" }, `must be one of work, got "gone"`},
			"a job type that needs a document":    {func(s *work.Schedule) { s.JobType = "ingestion" }, "needs a document"},
			"a job type that cannot be scheduled": {func(s *work.Schedule) { s.JobType = "by_hand" }, "cannot be scheduled"},
			"data that the job type refuses":      {func(s *work.Schedule) { s.Data = []byte(`{"bad": true}`) }, "data.bad: is not known"},
		} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := schedule("0 0 1 1 *", time.Now())
					c.change(&s)
					f := newFakeSchedules(s)
					launching(t, f, testRules, time.Second, nil)
					if reason := f.skips[s.NextRunAt.Time]; len(f.jobs) != 0 || !strings.Contains(reason, c.reason) {
						t.Errorf("submitted %v, reason %q, want %q", f.jobs, reason, c.reason)
					}
				})
			})
		}
	})
	t.Run("a new schedule that wakes it is in time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeSchedules()
			launching(t, f, testRules, time.Second, func(l *Launcher) {
				f.mu.Lock()
				f.schedules = append(f.schedules, schedule("* * * * *", time.Now().Add(3*time.Second)))
				f.mu.Unlock()
				l.Wake()
				time.Sleep(4 * time.Second)
			})
			if len(f.jobs) != 1 {
				t.Errorf("submitted at %v", f.jobs)
			}
		})
	})
	t.Run("one that cannot be answered does not hold up the others, nor a failure the next round", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			broken, good := schedule("broken", time.Now()), schedule("0 0 1 1 *", time.Now())
			broken.ID = 2
			f := newFakeSchedules(broken, good)
			f.err = errors.New("away")
			launching(t, f, testRules, time.Second, func(*Launcher) {
				f.mu.Lock()
				f.err = nil
				f.mu.Unlock()
				time.Sleep(3 * time.Second)
			})
			if len(f.jobs) != 1 {
				t.Errorf("submitted at %v", f.jobs)
			}
		})
	})
}

// fakeQueue has so many jobs that wait for a slot, and one job.
type fakeQueue struct {
	waiting int
	job     work.Job
	err     error
}

func (f fakeQueue) WaitingJobs(context.Context) (int, error)      { return f.waiting, nil }
func (f fakeQueue) Job(context.Context, string) (work.Job, error) { return f.job, f.err }

func TestBuiltinConditions(t *testing.T) {
	gone := kappa.NewError(kappa.CodeNotFound, "gone")
	first := work.Schedule{}
	again := work.Schedule{LastJobID: new("job_1")}
	for name, c := range map[string]struct {
		condition string
		queue     fakeQueue
		schedule  work.Schedule
		reason    string // "" holds
	}{
		"nothing waits":                       {"queue_idle", fakeQueue{}, first, ""},
		"a job waits":                         {"queue_idle", fakeQueue{waiting: 1}, first, "1 job waits for a slot"},
		"jobs wait":                           {"queue_idle", fakeQueue{waiting: 2}, first, "2 jobs wait for a slot"},
		"there was no job yet":                {"previous_done", fakeQueue{}, first, ""},
		"the last job runs":                   {"previous_done", fakeQueue{job: work.Job{Status: work.StatusProcessing}}, again, "the last job job_1 is processing"},
		"the last job has ended":              {"previous_done", fakeQueue{job: work.Job{Status: work.StatusFailed}}, again, ""},
		"the last job was deleted since then": {"previous_done", fakeQueue{err: gone}, again, ""},
	} {
		holds, reason, err := BuiltinConditions(c.queue)[c.condition](t.Context(), c.schedule)
		if err != nil || holds != (c.reason == "") || !holds && reason != c.reason {
			t.Errorf("%s: %v, %q, %v", name, holds, reason, err)
		}
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	t.Run("very many missed instants are summed up, none silently", func(t *testing.T) {
		first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for _, minutes := range []int{999, 1000, 1001, 2000, 2001, 5000} {
			l, err := plan(schedule("* * * * *", first), first.Add(time.Duration(minutes)*time.Minute))
			if err != nil {
				t.Fatal(err)
			}
			if !l.For.Equal(first.Add(time.Duration(minutes)*time.Minute)) || !l.Next.Equal(l.For.Add(time.Minute)) {
				t.Errorf("after %d minutes: for %v, next %v", minutes, l.For, l.Next)
			}
			missed := min(minutes, maxMissed)
			if len(l.Missed) != missed || !l.Missed[missed-1].Equal(l.For.Add(-time.Minute)) {
				t.Errorf("after %d minutes %d are recorded", minutes, len(l.Missed))
			}
			if counted := strings.Contains(l.MissedReason, "so were"); counted != (minutes > maxMissed) {
				t.Errorf("after %d minutes the reason is %q", minutes, l.MissedReason)
			}
		}
	})
}

// clockStore is a store whose schedules nobody reads.
type clockStore struct {
	scheduleStore
	was  work.Schedule
	next time.Time
}

func (c *clockStore) Clock(context.Context) (time.Time, error) {
	return time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC), nil
}

func (c *clockStore) AddSchedule(_ context.Context, s work.Schedule, next time.Time) (work.Schedule, error) {
	c.next = next
	return s, nil
}

func (c *clockStore) RunSchedule(_ context.Context, _, _ string, check func(work.Schedule) error) (work.Job, error) {
	return work.Job{}, check(c.was)
}

func (c *clockStore) ChangeSchedule(ctx context.Context, _ string,
	change func(work.Schedule, time.Time) (work.Schedule, time.Time, error),
) (work.Schedule, error) {
	now, _ := c.Clock(ctx)
	is, next, err := change(c.was, now)
	c.next = next
	return is, err
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	good := work.NewSchedule{Name: "nightly", JobType: "work", Cron: "0 2 * * *", TimeZone: "Europe/Berlin"}
	t.Run("a good one gets its first due instant", func(t *testing.T) {
		store := &clockStore{}
		s, err := NewSchedules(store, testRules).AddSchedule(t.Context(), good)
		if err != nil || !s.Enabled || !store.next.Equal(time.Date(2026, 11, 22, 1, 0, 0, 0, time.UTC)) {
			t.Errorf("added %+v, next %v, %v", s, store.next, err)
		}
	})
	for name, c := range map[string]struct {
		change func(n *work.NewSchedule)
		field  string
	}{
		"a malformed expression":       {func(n *work.NewSchedule) { n.Cron = "every day" }, "cron"},
		"a day that never comes":       {func(n *work.NewSchedule) { n.Cron = "0 0 31 2 *" }, "cron"},
		"an unknown time zone":         {func(n *work.NewSchedule) { n.TimeZone = "Europe/Atlantis" }, "time_zone"},
		"an unknown job type":          {func(n *work.NewSchedule) { n.JobType = "dance" }, "job_type"},
		"a type that needs a document": {func(n *work.NewSchedule) { n.JobType = "ingestion" }, "job_type"},
		"a type that is not scheduled": {func(n *work.NewSchedule) { n.JobType = "by_hand" }, "job_type"},
		"data that the type refuses":   {func(n *work.NewSchedule) { n.Data = []byte(`{"bad": true}`) }, "data.bad"},
		"an unknown condition":         {func(n *work.NewSchedule) { n.Condition = "full_moon" }, "condition"},
		"a priority out of range":      {func(n *work.NewSchedule) { n.Priority = 101 }, "priority"},
		"no name":                      {func(n *work.NewSchedule) { n.Name = " " }, "name"},
		"data that is not JSON":        {func(n *work.NewSchedule) { n.Data = []byte("{") }, "data"},
		"a name with a control char":   {func(n *work.NewSchedule) { n.Name = "a\x00b" }, "name"},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			bad := good
			c.change(&bad)
			_, err := NewSchedules(&clockStore{}, testRules).AddSchedule(t.Context(), bad)
			var e *kappa.Error
			if !errors.As(err, &e) || e.Code != kappa.CodeInvalid || !slices.ContainsFunc(e.Fields, func(f kappa.FieldError) bool { return f.Name == c.field }) {
				t.Errorf("got %v, want the field %s", err, c.field)
			}
		})
	}
	t.Run("an update keeps an instant that is due already, unless the times change", func(t *testing.T) {
		due := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
		store := &clockStore{was: schedule("0 * * * *", due)}
		s := NewSchedules(store, testRules)
		if _, err := s.UpdateSchedule(t.Context(), "s", work.ScheduleUpdate{Priority: new(5)}); err != nil || !store.next.Equal(due) {
			t.Errorf("after a new priority next is %v, %v", store.next, err)
		}
		if _, err := s.UpdateSchedule(t.Context(), "s", work.ScheduleUpdate{Cron: new("15 * * * *")}); err != nil || !store.next.Equal(due.Add(75*time.Minute)) {
			t.Errorf("after a new expression next is %v, %v", store.next, err)
		}
		store.was.NextRunAt, store.was.Enabled = nil, false
		if _, err := s.UpdateSchedule(t.Context(), "s", work.ScheduleUpdate{Enabled: new(true)}); err != nil || !store.next.Equal(due.Add(time.Hour)) {
			t.Errorf("after it was enabled next is %v, %v", store.next, err)
		}
		if _, err := s.UpdateSchedule(t.Context(), "s", work.ScheduleUpdate{}); kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("an empty update: %v", err)
		}
	})
	t.Run("one of a job type that is not known any more can be disabled, and not enabled or run", func(t *testing.T) {
		store := &clockStore{was: schedule("0 * * * *", time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC))}
		store.was.JobType, store.was.Condition = "gone", new("gone too")
		s := NewSchedules(store, testRules)
		if is, err := s.UpdateSchedule(t.Context(), "s", work.ScheduleUpdate{Enabled: new(false)}); err != nil || is.Enabled {
			t.Errorf("disabled: %+v, %v", is, err)
		}
		store.was.Enabled = false
		if _, err := s.UpdateSchedule(t.Context(), "s", work.ScheduleUpdate{Enabled: new(true)}); kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("enabled: %v", err)
		}
		if _, err := s.RunSchedule(t.Context(), "s", "admin"); kappa.ErrorCode(err) != kappa.CodeConflict || !strings.Contains(kappa.ErrorMessage(err), `got "gone"`) {
			t.Errorf("run: %v", err)
		}
	})
	t.Run("one whose data the type refuses by now can be disabled, and not enabled, changed or run", func(t *testing.T) {
		store := &clockStore{was: schedule("0 * * * *", time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC))}
		store.was.Data = []byte(`{"bad": true}`)
		s := NewSchedules(store, testRules)
		if is, err := s.UpdateSchedule(t.Context(), "s", work.ScheduleUpdate{Enabled: new(false)}); err != nil || is.Enabled {
			t.Errorf("disabled: %+v, %v", is, err)
		}
		store.was.Enabled = false
		for what, u := range map[string]work.ScheduleUpdate{"enabled": {Enabled: new(true)}, "changed": {Data: []byte(`{"bad": 2}`)}} {
			if _, err := s.UpdateSchedule(t.Context(), "s", u); kappa.ErrorCode(err) != kappa.CodeInvalid || !strings.Contains(kappa.ErrorMessage(err), "data.bad") {
				t.Errorf("%s: %v", what, err)
			}
		}
		if _, err := s.RunSchedule(t.Context(), "s", "admin"); kappa.ErrorCode(err) != kappa.CodeConflict || !strings.Contains(kappa.ErrorMessage(err), "data.bad") {
			t.Errorf("run: %v", err)
		}
	})
}
