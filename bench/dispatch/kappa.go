package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/http/telemetry"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/migrations"
	"github.com/kappagraph/kappa/tracing"
	"github.com/kappagraph/kappa/work"
)

var quiet = slog.New(slog.DiscardHandler)

// storeNoops prepares the tables and stores approved jobs.
// They are set up before that.
func storeNoops(ctx context.Context, dsn string, jobs int, setUp ...string) (*postgres.DB, error) {
	if err := migrations.Up(ctx, dsn, quiet); err != nil {
		return nil, err
	}
	db, err := postgres.Open(ctx, postgres.Config{DSN: dsn})
	if err != nil {
		return nil, err
	}
	err = execute(ctx, dsn, append(setUp,
		"TRUNCATE kg_api.jobs, kg_api.job_events, kg_api.workers CASCADE",
		"UPDATE kg_api.worker_lanes SET enabled = name = 'interactive'",
		"UPDATE kg_api.worker_lanes SET job_types = '{noop}', max_slots = 100 WHERE name = 'interactive'",
		fmt.Sprintf(`WITH added AS (
			INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, approved_at, approved_by, event_seq)
			SELECT 'job_' || lpad(to_hex(n), 12, '0'), 'noop', 'approved', 1, now(), 'bench', 1 FROM generate_series(1, %d) AS n
			RETURNING job_id)
		INSERT INTO kg_api.job_events (job_id, seq, kind, payload) SELECT job_id, 1, 'status', '{"status": "approved"}' FROM added`, jobs),
		"VACUUM ANALYZE kg_api.jobs", "CHECKPOINT")...)
	if err != nil {
		db.Close()
	}
	return db, err
}

// limited sets limits that are about all jobs, and that the lane does not reach.
const limited = `INSERT INTO kg_api.limits (scope, value, max_running, reason, set_by, applied) VALUES ('type', 'noop', 100000, 'bench', 'bench', true)`

// hooked has a webhook told of each job that completes. Nothing is sent here: what is measured is
// what it costs to write that.
const hooked = `INSERT INTO kg_api.webhooks (webhook_id, url, description, events, ontologies, job_types) VALUES ('wh_bench', 'https://example.com', '', '{job.completed}', '{}', '{}')`

// warmUp is how many jobs are done for each of several servers before the clock
// starts: what it takes to start them and to fill their caches does not count.
const warmUp = 1000

// kappaLanes works with the lanes as kg serve runs them, on one server or on
// several that share the slots of the lane.
func kappaLanes(servers, slots int, setUp ...string) func(ctx context.Context, l lab, jobs int) (figure, error) {
	return lanesBeside(servers, slots, beside{}, setUp...)
}

// beside is what lanes do besides working.
type beside struct {
	// tracer has each job belong to a trace, of which one in a hundred is sampled, as a request
	// has decided that submitted it; nil has none.
	tracer tracing.Tracer
	// times has them count how long attempts waited and ran, for the metrics and for the rows of
	// a minute, as kg serve does.
	times bool
}

// told returns who is told of attempts that end.
func (b beside) told(db *postgres.DB) []func(work.EndedAttempt) {
	if !b.times {
		return nil
	}
	return []func(work.EndedAttempt){lanes.NewTimes(db.Lanes(), quiet).Ended, telemetry.NewJobTimes().Ended}
}

// traceEachJob has each job belong to a trace, of which one in a hundred is sampled.
const traceEachJob = `UPDATE kg_api.jobs SET traceparent = '00-' || md5(job_id) || '-' || left(md5('s' || job_id), 16)
	|| CASE WHEN hashtext(job_id) % 100 = 0 THEN '-01' ELSE '-00' END`

// lanesBeside is kappaLanes with something besides.
func lanesBeside(servers, slots int, with beside, setUp ...string) func(ctx context.Context, l lab, jobs int) (figure, error) {
	return func(ctx context.Context, l lab, jobs int) (figure, error) {
		before := 0
		if servers > 1 {
			before = servers * warmUp
		}
		db, err := storeNoops(ctx, l.dsn, before+jobs, setUp...)
		if err != nil {
			return figure{}, err
		}
		defer db.Close()
		if err := execute(ctx, l.dsn, fmt.Sprintf("UPDATE kg_api.worker_lanes SET max_slots = %d WHERE name = 'interactive'", slots)); err != nil {
			return figure{}, err
		}
		if with.tracer != nil {
			if err := execute(ctx, l.dsn, traceEachJob, "VACUUM FULL ANALYZE kg_api.jobs", "CHECKPOINT"); err != nil {
				return figure{}, err
			}
		}
		var done atomic.Int64
		over := make(chan struct{})
		noop := func(context.Context, work.Claim) (json.RawMessage, error) { return json.RawMessage(`{}`), nil }
		dbs := make([]*postgres.DB, servers)
		for i := range dbs {
			if dbs[i], err = postgres.Open(ctx, postgres.Config{DSN: l.dsn}); err != nil {
				return figure{}, err
			}
			defer dbs[i].Close()
		}
		var stops []func()
		stop := sync.OnceFunc(func() {
			for _, stop := range stops {
				stop()
			}
		})
		defer stop()
		watch := l.start()
		for _, own := range dbs {
			counting := counter{lanesDB: newLanesDB(own), ended: func(n int) {
				now := int(done.Add(int64(n)))
				if now >= before && now-n < before {
					watch = l.start()
				}
				if now == before+jobs {
					close(over)
				}
			}}
			stops = append(stops, runLanes(ctx, counting, l.dsn, noop, true, with.tracer, with.told(own)...))
		}
		select {
		case <-ctx.Done():
			return figure{}, ctx.Err()
		case <-over:
		}
		took := watch.stop()
		stop()
		return took, checkHistory(ctx, l.dsn, before+jobs)
	}
}

// counter counts what has been stored as ended.
type counter struct {
	lanesDB
	ended func(n int)
}

// Finish stores outcomes and counts them.
func (c counter) Finish(ctx context.Context, worker string, outcomes []work.Outcome) (map[string]work.Status, error) {
	statuses, err := c.ClaimStore.Finish(ctx, worker, outcomes)
	if len(statuses) > 0 {
		c.ended(len(statuses))
	}
	return statuses, err
}

// checkHistory makes sure that the work was really done: each job completed with
// its whole history.
func checkHistory(ctx context.Context, dsn string, jobs int) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var completed, events int
	err = conn.QueryRow(ctx, `SELECT (SELECT count(*) FROM kg_api.jobs WHERE status = 'completed'), (SELECT count(*) FROM kg_api.job_history)`).Scan(&completed, &events)
	if err == nil && (completed != jobs || events != 4*jobs) {
		err = fmt.Errorf("%d of %d jobs completed with %d events, want %d", completed, jobs, events, 4*jobs)
	}
	return err
}

// bareLoop claims and completes in batches of 100 without working on anything
// and without events: what the database can do at best.
func bareLoop(ctx context.Context, l lab, jobs int) (figure, error) {
	db, err := storeNoops(ctx, l.dsn, jobs)
	if err != nil {
		return figure{}, err
	}
	defer db.Close()
	conn, err := pgx.Connect(ctx, l.dsn)
	if err != nil {
		return figure{}, err
	}
	defer conn.Close(ctx)
	watch := l.start()
	for done := 0; done < jobs; {
		rows, err := conn.Query(ctx, `
			WITH picked AS MATERIALIZED (
				SELECT j.job_id FROM kg_api.jobs j WHERE j.status = 'approved' AND j.due AND j.job_type = 'noop'
				ORDER BY j.priority DESC, j.created_at, j.job_id LIMIT 100 FOR UPDATE SKIP LOCKED)
			UPDATE kg_api.jobs SET status = 'processing', lane = 'bench', claimed_by = '00000000-0000-4000-8000-000000000000',
				claimed_at = now(), claim_token = nextval('kg_api.claim_tokens'), attempt = attempt + 1
			FROM picked WHERE jobs.job_id = picked.job_id RETURNING jobs.job_id`)
		if err != nil {
			return figure{}, err
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return figure{}, err
		}
		if _, err := conn.Exec(ctx, "UPDATE kg_api.jobs SET status = 'completed', completed_at = now() WHERE job_id = ANY ($1)", ids); err != nil {
			return figure{}, err
		}
		done += len(ids)
	}
	return watch.stop(), nil
}

func execute(ctx context.Context, dsn string, statements ...string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%.60s: %w", sql, err)
		}
	}
	return nil
}
