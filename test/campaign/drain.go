package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/pgproxy"
	"github.com/kappagraph/kappa/work"
)

const (
	drainLeast  = 3 * time.Minute // after the last fault, until every job has ended; and once more the span
	drainTurn   = time.Minute     // longer, while jobs end: suspects run one after the other
	drainLook   = 200 * time.Millisecond
	repairLimit = 2 * time.Minute
)

// drain undoes what faults have left, approves what still waits for it, ends the
// schedules, and waits until every job has ended.
func (c *campaign) drain(ctx context.Context) error {
	for i, s := range c.servers {
		s.signal(syscall.SIGCONT)
		for _, role := range append(roles(), roleOfRights, roleOfAuth, pgproxy.EveryRole) {
			c.proxies[i].Set(role, pgproxy.Pass)
		}
	}
	if err := c.repairLanes(ctx); err != nil {
		return err
	}
	began := time.Now()
	limit, least := began.Add(drainLeast+c.cfg.span()), math.MaxInt
	for {
		lookCtx, cancel := context.WithTimeout(ctx, drainTurn)
		open, err := c.open(lookCtx)
		cancel()
		switch now := time.Now(); {
		case err == nil && open == 0:
			return nil
		case err == nil && open < least:
			least = open
			if turn := now.Add(drainTurn); turn.After(limit) {
				limit = turn
			}
		case now.After(limit):
			return fmt.Errorf("%d jobs and schedules have not ended %s after the last fault: %w", least, now.Sub(began), errors.Join(err, c.explain(ctx)))
		}
		if !pause(ctx, drainLook) {
			return ctx.Err()
		}
	}
}

// repairLanes enables every lane of the campaign.
func (c *campaign) repairLanes(ctx context.Context) error {
	limit, cancel := context.WithTimeout(ctx, repairLimit)
	defer cancel()
	on, slots := true, laneSlots
	i := &injector{db: c.db}
	for _, t := range jobTypes() {
		if err := i.edit(limit, campaignLane+t, work.LaneUpdate{Enabled: &on, MaxSlots: &slots}); err != nil {
			return fmt.Errorf("enable the lane of %s: %w", t, err)
		}
	}
	return nil
}

// open approves jobs whose submission was not answered, ends the schedules, and
// counts both as far as they have not ended.
func (c *campaign) open(ctx context.Context) (int, error) {
	ended, err := (&ticker{dsn: c.dsn, log: c.cfg.Log}).stop(ctx)
	if err != nil {
		return 0, err
	}
	waiting, err := c.db.Jobs().Jobs(ctx, work.JobFilter{Statuses: []work.Status{work.StatusAwaitingApproval}, Limit: work.MaxJobList})
	if err != nil {
		return 0, err
	}
	for _, job := range waiting {
		if err := c.db.Jobs().Approve(ctx, job.ID, "campaign"); err != nil && kappa.ErrorCode(err) != kappa.CodeConflict {
			return 0, err
		}
	}
	counts, err := c.db.Figures().QueueCounts(ctx)
	n := 0
	if !ended {
		n++
	}
	for _, jobs := range counts {
		n += jobs
	}
	return n, err
}

// explain says in which state the jobs are that did not end.
func (c *campaign) explain(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, c.dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	found, err := lines(ctx, conn, `
		SELECT format('%s is %s, due %s, run_at in %s s, claimed by %s (%s, lease ended %s s ago), retries %s, crashes %s: %s', j.job_id, j.status, j.due,
			extract(epoch FROM j.run_at - clock_timestamp()), j.claimed_by, w.state, extract(epoch FROM clock_timestamp() - w.lease_until), j.retries, j.crash_count, j.error)
		FROM kg_api.jobs j LEFT JOIN kg_api.workers w ON w.worker_id = j.claimed_by
		WHERE j.status NOT IN ('completed', 'failed', 'cancelled') LIMIT 10`)
	for _, line := range found {
		err = errors.Join(err, errors.New(line))
	}
	return err
}
