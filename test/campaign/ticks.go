package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

const (
	tickEvery = time.Second
	// scheduleOfJobs and scheduleOfSkips are the schedules of a campaign: the one
	// submits jobs, the other names a condition that no server knows.
	scheduleOfJobs   = "campaign_jobs"
	scheduleOfSkips  = "campaign_skips"
	unknownCondition = "campaign_never"
)

// ticker makes the schedules of a campaign due about once a second. Cron knows
// nothing shorter than a minute, so the ticker brings forward the next instant,
// unless one is due already: that one must be answered. The full minutes stay
// due besides.
type ticker struct {
	dsn string // past the servers' proxies
	log *slog.Logger
}

// addSchedules stores the schedules, in place of those that servers make when they start,
// once: the checks of the clock are about schedules of every minute.
func addSchedules(ctx context.Context, s *postgres.DB) error {
	made, err := s.Schedules().Schedules(ctx)
	if err != nil {
		return err
	}
	for _, m := range made {
		if err := s.Schedules().RemoveSchedule(ctx, m.Name); err != nil {
			return err
		}
	}
	condition := unknownCondition
	for _, n := range []work.Schedule{
		{Name: scheduleOfJobs}, {Name: scheduleOfSkips, Condition: &condition},
	} {
		n.JobType, n.Cron, n.TimeZone, n.Enabled = work.TypeNoop, "* * * * *", work.DefaultTimeZone, true
		if _, err := s.Schedules().AddSchedule(ctx, n, time.Now().Truncate(time.Minute).Add(time.Minute)); err != nil {
			return err
		}
	}
	return nil
}

// run ticks until ctx ends; while the database is away it misses ticks.
func (t *ticker) run(ctx context.Context) {
	for pause(ctx, tickEvery) {
		if err := t.tick(ctx); err != nil {
			t.log.DebugContext(ctx, "a tick was missed", "err", err)
		}
	}
}

// tick brings the next instants forward and wakes the leader.
func (t *ticker) tick(ctx context.Context) error {
	return t.execute(ctx, `
		WITH due AS (
			UPDATE kg_api.scheduled_jobs s SET next_run_at = date_trunc('milliseconds', clock_timestamp())
			WHERE s.enabled AND s.next_run_at > clock_timestamp() RETURNING s.name)
		SELECT pg_notify('kg_schedules', d.name) FROM due d`)
}

// stop ends the schedules as soon as nothing is due, and reports whether all of
// them have ended. Those with an instant that waits for its answer are woken.
func (t *ticker) stop(ctx context.Context) (ended bool, err error) {
	err = t.execute(ctx, `UPDATE kg_api.scheduled_jobs s SET enabled = false WHERE s.enabled AND s.next_run_at > clock_timestamp()`)
	if err == nil {
		err = t.execute(ctx, `SELECT pg_notify('kg_schedules', s.name) FROM kg_api.scheduled_jobs s WHERE s.enabled`)
	}
	if err != nil {
		return false, err
	}
	err = t.query(ctx, `SELECT NOT EXISTS (SELECT 1 FROM kg_api.scheduled_jobs s WHERE s.enabled)`, &ended)
	return ended, err
}

func (t *ticker) execute(ctx context.Context, sql string) error {
	return t.connected(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, sql)
		return err
	})
}

func (t *ticker) query(ctx context.Context, sql string, into any) error {
	return t.connected(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, sql).Scan(into)
	})
}

// connected calls f with a connection of its own, within a limit.
func (t *ticker) connected(ctx context.Context, f func(context.Context, *pgx.Conn) error) error {
	callCtx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	conn, err := pgx.Connect(callCtx, t.dsn)
	if err != nil {
		return fmt.Errorf("reach the schedules: %w", err)
	}
	defer conn.Close(ctx)
	return f(callCtx, conn)
}
