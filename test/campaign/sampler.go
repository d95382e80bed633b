package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	sampleEvery = 10 * time.Millisecond
	// deadMost is how long a job may be held by a dead worker: lease, two scans,
	// a half-open leader and a restart of PostgreSQL in their worst order.
	deadMost = 45 * time.Second
	// stallLeast is a time between two samples that shows a machine with no time
	// for the campaign.
	stallLeast = 300 * time.Millisecond
)

// sampleQuery reads the lanes in one snapshot. A lane may hold more than
// max_slots only from before the last edit; what is claimed after an edit obeys
// it, for both take the lane's lock.
const sampleQuery = `
SELECT l.name, l.max_slots, l.enabled, count(j.job_id)::int AS running,
    coalesce(max(j.claimed_at) > l.updated_at, false) AS claimed_since,
    coalesce(extract(epoch FROM clock_timestamp() - min(w.lease_until) FILTER (WHERE w.state <> 'stopped')), 0)::float8 AS dead_seconds
FROM kg_api.worker_lanes l
LEFT JOIN kg_api.jobs j ON j.lane = l.name AND j.status = 'processing'
LEFT JOIN kg_api.workers w ON w.worker_id = j.claimed_by
GROUP BY l.name, l.max_slots, l.enabled, l.updated_at`

// samples is what the sampler has seen.
type samples struct {
	Taken      int
	MostInUse  int // slots of all lanes
	Violations []violation

	stalls []stall
}

// stall is a time in which the database answered nobody.
type stall struct{ began, ended time.Time }

// sampler reads the lanes a hundred times a second.
type sampler struct {
	dsn string

	mu   sync.Mutex // guards what follows
	seen samples
	last time.Time // of the samples
}

// run samples until ctx ends, connecting again when the database was away.
func (s *sampler) run(ctx context.Context) {
	for ctx.Err() == nil {
		conn, err := pgx.Connect(ctx, s.dsn)
		if err == nil {
			s.sample(ctx, conn)
			_ = conn.Close(context.WithoutCancel(ctx)) // it is given up either way
		}
		pause(ctx, sampleEvery)
	}
}

// sample samples on one connection until it fails.
func (s *sampler) sample(ctx context.Context, conn *pgx.Conn) {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		callCtx, cancel := context.WithTimeout(ctx, callTimeout)
		err := s.take(callCtx, conn)
		cancel()
		if err != nil {
			return
		}
	}
}

// take takes one sample.
func (s *sampler) take(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, sampleQuery)
	if err != nil {
		return err
	}
	type lane struct {
		Name         string
		MaxSlots     int
		Enabled      bool
		Running      int
		ClaimedSince bool
		DeadSeconds  float64
	}
	lanes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[lane])
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if !s.last.IsZero() && now.Sub(s.last) > stallLeast {
		s.seen.stalls = append(s.seen.stalls, stall{s.last, now})
	}
	s.last = now
	s.seen.Taken++
	inUse := 0
	for _, l := range lanes {
		inUse += l.Running
		switch {
		case l.Running > l.MaxSlots && l.ClaimedSince:
			s.violated("I14", fmt.Sprintf("lane %s runs %d jobs in %d slots, one of them claimed under that setting", l.Name, l.Running, l.MaxSlots))
		case !l.Enabled && l.ClaimedSince:
			s.violated("I15", fmt.Sprintf("lane %s is disabled and started a job since", l.Name))
		case l.DeadSeconds > deadMost.Seconds():
			s.violated("I12", fmt.Sprintf("lane %s has a job whose worker's lease ended %.0f s ago", l.Name, l.DeadSeconds))
		}
	}
	s.seen.MostInUse = max(s.seen.MostInUse, inUse)
	return nil
}

func (s *sampler) violated(id, evidence string) {
	if len(s.seen.Violations) < maxEvidence {
		s.seen.Violations = append(s.seen.Violations, violation{id, evidence})
	}
}

// result returns what was seen; run must have ended.
func (s *sampler) result() samples {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}
