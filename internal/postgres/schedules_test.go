package postgres_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// addSchedule stores a schedule that is due at noon.
func addSchedule(t *testing.T, s *postgres.DB, name string) work.Schedule {
	t.Helper()
	added, err := s.Schedules().AddSchedule(t.Context(), work.Schedule{
		Name: name, JobType: "polarity", Cron: "0 * * * *", TimeZone: "UTC", Enabled: true, Data: []byte(`{"n": 1}`),
	}, noon)
	must(t, err)
	return added
}

// number runs a query for one number.
func number(t *testing.T, dsn, sql string, args ...any) int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(t.Context())
	var n int
	must(t, conn.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	added := addSchedule(t, s, "hourly")
	t.Run("a name is taken once", func(t *testing.T) {
		_, err := s.Schedules().AddSchedule(t.Context(), work.Schedule{Name: "hourly", JobType: "polarity", Cron: "* * * * *", TimeZone: "UTC"}, noon)
		if kappa.ErrorCode(err) != kappa.CodeConflict || kappa.ErrorMessage(err) != "Schedule already exists: hourly" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a change is stored, and the leader is notified", func(t *testing.T) {
		conn, err := pgx.Connect(t.Context(), dsn)
		must(t, err)
		defer conn.Close(t.Context())
		_, err = conn.Exec(t.Context(), "LISTEN kg_schedules")
		must(t, err)
		changed, err := s.Schedules().ChangeSchedule(t.Context(), "hourly", func(was work.Schedule, now time.Time) (work.Schedule, time.Time, error) {
			if now.IsZero() || was.ID != added.ID {
				t.Errorf("changing %+v at %v", was, now)
			}
			was.Priority, was.Enabled = 7, false
			return was, noon.Add(time.Hour), nil
		})
		must(t, err)
		if changed.Priority != 7 || changed.Enabled || changed.NextRunAt != nil || string(changed.Data) != `{"n": 1}` {
			t.Errorf("changed to %+v", changed)
		}
		n, err := conn.WaitForNotification(t.Context())
		must(t, err)
		if n.Payload != "hourly" {
			t.Errorf("notified %q", n.Payload)
		}
	})
	t.Run("a refused change changes nothing", func(t *testing.T) {
		refuse := errors.New("no")
		_, err := s.Schedules().ChangeSchedule(t.Context(), "hourly", func(was work.Schedule, _ time.Time) (work.Schedule, time.Time, error) {
			was.Priority = 8
			return was, noon, refuse
		})
		if !errors.Is(err, refuse) {
			t.Errorf("got %v", err)
		}
		if got, err := s.Schedules().Schedule(t.Context(), "hourly"); err != nil || got.Priority != 7 {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("by hand it runs although it is not enabled, as a job of the system", func(t *testing.T) {
		job, err := s.Schedules().RunSchedule(t.Context(), "hourly", "admin", func(work.Schedule) error { return nil })
		must(t, err)
		if job.Status != work.StatusApproved || job.UserID != access.SystemUserID || *job.ApprovedBy != "admin" || job.Priority != 7 {
			t.Errorf("submitted %+v", job)
		}
		if got, err := s.Schedules().Schedule(t.Context(), "hourly"); err != nil || got.LastJobID == nil || *got.LastJobID != job.ID || *got.LastOutcome != work.ScheduleSubmitted {
			t.Errorf("%+v, %v", got, err)
		}
		checkHistory(t, s, job.ID)
	})
	t.Run("one that is refused does not run", func(t *testing.T) {
		refuse := errors.New("no")
		_, err := s.Schedules().RunSchedule(t.Context(), "hourly", "admin", func(was work.Schedule) error {
			if was.JobType != "polarity" {
				t.Errorf("checking %+v", was)
			}
			return refuse
		})
		if n := number(t, dsn, "SELECT count(*) FROM kg_api.jobs"); !errors.Is(err, refuse) || n != 1 {
			t.Errorf("got %v, and %d jobs", err, n)
		}
	})
	t.Run("one that is removed leaves its jobs", func(t *testing.T) {
		must(t, s.Schedules().RemoveSchedule(t.Context(), "hourly"))
		if n := number(t, dsn, "SELECT count(*) FROM kg_api.jobs"); n != 1 {
			t.Errorf("%d jobs are left", n)
		}
	})
	t.Run("an unknown name is not found", func(t *testing.T) {
		_, byHand := s.Schedules().RunSchedule(t.Context(), "none", "admin", nil)
		_, runs := s.Schedules().ScheduleRuns(t.Context(), "none", 10)
		for _, err := range []error{s.Schedules().RemoveSchedule(t.Context(), "none"), byHand, runs} {
			if kappa.ErrorCode(err) != kappa.CodeNotFound {
				t.Errorf("got %v", err)
			}
		}
	})
}

// TestQ46_TwoLeaders answers the same due instant from several leaders at once.
func TestQ46_TwoLeaders(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	for round := range 20 {
		at := noon.Add(time.Duration(round) * time.Hour)
		if round == 0 {
			addSchedule(t, s, "hourly")
		}
		schedules, _, err := s.Schedules().NextSchedules(t.Context(), 10)
		must(t, err)
		if len(schedules) != 1 || !schedules[0].NextRunAt.Equal(at) {
			t.Fatalf("round %d: next is %+v", round, schedules)
		}
		var submitted atomic.Int64
		together(4, func(int) {
			id, err := s.Schedules().Launch(t.Context(), 0, work.Launch{Schedule: schedules[0], For: at, Next: at.Add(time.Hour)})
			if err != nil {
				t.Error(err)
			}
			if id != "" {
				submitted.Add(1)
			}
		})
		if submitted.Load() != 1 {
			t.Errorf("round %d: %d jobs", round, submitted.Load())
		}
	}
	if n := number(t, dsn, "SELECT count(*) FROM kg_api.jobs WHERE is_system AND user_id = 1 AND approved_by = 'system' AND priority = 0"); n != 20 {
		t.Errorf("%d jobs of the system after 20 instants", n)
	}
	if n := number(t, dsn, "SELECT count(*) FROM kg_api.schedule_runs r JOIN kg_api.jobs j USING (job_id)"); n != 20 {
		t.Errorf("%d answers with a job", n)
	}
}

func TestLaunch(t *testing.T) {
	t.Parallel()
	t.Run("a deposed leader submits nothing", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		schedule := addSchedule(t, s, "hourly")
		_, err := s.Schedules().Launch(t.Context(), 7, work.Launch{Schedule: schedule, For: noon, Next: noon.Add(time.Hour)})
		if !errors.Is(err, kappa.ErrDeposed) || number(t, dsn, "SELECT count(*) FROM kg_api.jobs") != 0 {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a skip and what was missed are recorded with the reason", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		schedule := addSchedule(t, s, "hourly")
		id, err := s.Schedules().Launch(t.Context(), 0, work.Launch{
			Schedule: schedule, For: noon.Add(2 * time.Hour), Skip: "not now",
			Missed: []time.Time{noon, noon.Add(time.Hour)}, MissedReason: "missed", Next: noon.Add(3 * time.Hour),
		})
		must(t, err)
		runs, err := s.Schedules().ScheduleRuns(t.Context(), "hourly", 10)
		must(t, err)
		if id != "" || len(runs) != 3 || *runs[0].SkipReason != "not now" || *runs[1].SkipReason != "missed" || !runs[2].ScheduledFor.Equal(noon) {
			t.Errorf("job %q, runs %+v", id, runs)
		}
		after, err := s.Schedules().Schedule(t.Context(), "hourly")
		must(t, err)
		if *after.LastOutcome != work.ScheduleSkipped || *after.LastReason != "not now" || !after.NextRunAt.Equal(noon.Add(3*time.Hour)) {
			t.Errorf("the schedule is %+v", after)
		}
		if number(t, dsn, "SELECT count(*) FROM kg_api.jobs") != 0 {
			t.Error("a job was submitted")
		}
	})
	t.Run("an instant that was answered before is not answered again when the clock went back", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		schedule := addSchedule(t, s, "hourly")
		launch := work.Launch{Schedule: schedule, For: noon, Next: noon.Add(time.Hour)}
		_, err := s.Schedules().Launch(t.Context(), 0, launch)
		must(t, err)
		execSQL(t, dsn, "UPDATE kg_api.scheduled_jobs SET next_run_at = $1", noon)
		id, err := s.Schedules().Launch(t.Context(), 0, launch)
		must(t, err)
		if id != "" || number(t, dsn, "SELECT count(*) FROM kg_api.jobs") != 1 {
			t.Errorf("submitted %q again", id)
		}
		if after, err := s.Schedules().Schedule(t.Context(), "hourly"); err != nil || !after.NextRunAt.Equal(noon.Add(time.Hour)) {
			t.Errorf("the schedule is stuck: %+v, %v", after, err)
		}
	})
	t.Run("one that was changed or paused meanwhile is left alone", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		schedule := addSchedule(t, s, "hourly")
		execSQL(t, dsn, "UPDATE kg_api.scheduled_jobs SET enabled = false")
		id, err := s.Schedules().Launch(t.Context(), 0, work.Launch{Schedule: schedule, For: noon, Next: noon.Add(time.Hour)})
		if err != nil || id != "" || number(t, dsn, "SELECT count(*) FROM kg_api.schedule_runs") != 0 {
			t.Errorf("submitted %q, %v", id, err)
		}
	})
	t.Run("one whose job was changed meanwhile submits none of what it was before", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		schedule := addSchedule(t, s, "hourly")
		_, err := s.Schedules().ChangeSchedule(t.Context(), "hourly", func(was work.Schedule, _ time.Time) (work.Schedule, time.Time, error) {
			was.Data = []byte(`{"n": 2}`)
			return was, was.NextRunAt.Time, nil
		})
		must(t, err)
		launch := work.Launch{Schedule: schedule, For: noon, Next: noon.Add(time.Hour)}
		if id, err := s.Schedules().Launch(t.Context(), 0, launch); err != nil || id != "" || number(t, dsn, "SELECT count(*) FROM kg_api.schedule_runs") != 0 {
			t.Errorf("submitted %q, %v", id, err)
		}
		launch.Schedule, err = s.Schedules().Schedule(t.Context(), "hourly")
		must(t, err)
		if _, err := s.Schedules().Launch(t.Context(), 0, launch); err != nil || number(t, dsn, "SELECT (data->>'n')::int FROM kg_api.jobs") != 2 {
			t.Errorf("%v", err)
		}
	})
}
