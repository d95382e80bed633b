// Command acts measures an act on many jobs: how long it takes to cancel a hundred thousand
// among more, and how much slower others claim and complete jobs meanwhile. The store and the
// private cluster are on this machine.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/bench/serving"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// What is demanded.
const (
	within  = 10 * time.Second // for the cancels
	slowest = 1.10             // what a claim takes meanwhile, of what it takes otherwise
)

const worker = "00000000-0000-4000-8000-00000000000a"

func main() {
	jobs := flag.Int("jobs", 100_000, "how many jobs are cancelled")
	others := flag.Int("others", 900_000, "how many jobs there are besides")
	strict := flag.Bool("strict", false, "fail when a demand is missed")
	flag.Parse()
	os.Exit(serving.Main(*strict, func(ctx context.Context) (missed int, err error) { return run(ctx, *jobs, *others) }))
}

func run(ctx context.Context, jobs, others int) (missed int, err error) {
	cluster, err := serving.StartCluster(ctx)
	if err != nil {
		return 0, err
	}
	defer cluster.Close(ctx)
	dsn, err := cluster.Migrate(ctx)
	if err != nil {
		return 0, err
	}
	if err := fill(ctx, dsn, jobs, others); err != nil {
		return 0, err
	}
	db, err := postgres.Open(ctx, postgres.Config{DSN: dsn, JobConns: 6, GraphConns: 2, AuthConns: 2, AcquireTimeout: 10 * time.Second})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	if err := db.Workers().Register(ctx, work.Worker{ID: worker, Hostname: "bench", PID: 1}, "bench", time.Hour); err != nil {
		return 0, err
	}
	alone, err := claims(ctx, db, func(context.Context) error { return rest(ctx, 5*time.Second) })
	if err != nil {
		return 0, err
	}
	var took [2]time.Duration
	var figures work.ActFigures
	beside, err := claims(ctx, db, func(ctx context.Context) (err error) {
		took, figures, err = cancelAll(ctx, db)
		return err
	})
	if err != nil {
		return 0, err
	}
	again, err := claims(ctx, db, func(context.Context) error { return rest(ctx, 5*time.Second) })
	if err != nil {
		return 0, err
	}
	usual := (alone.median() + again.median()) / 2
	fmt.Printf("\nacts: %d of %d jobs cancelled, %d refused: selected in %.2f s, cancelled in %.2f s (demanded: %.0f s)\n", figures.Done, jobs+others, figures.Refused, took[0].Seconds(), took[1].Seconds(), within.Seconds())
	fmt.Printf("a claim of 10 jobs and their completion, 50 a second:\n  before   p50 %s p95 %s\n  meanwhile p50 %s p95 %s\n  after    p50 %s p95 %s\n", alone.median(), alone.p95(), beside.median(), beside.p95(), again.median(), again.p95())
	ratio := float64(beside.median()) / float64(usual)
	fmt.Printf("meanwhile they take %.2f times as long (demanded: %.2f)\n", ratio, slowest)
	if took[0]+took[1] > within {
		missed++
	}
	if ratio > slowest {
		missed++
	}
	return missed, nil
}

func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// cancelAll cancels the jobs as the job type does, and returns how long it took to select them
// and to act on them.
func cancelAll(ctx context.Context, db *postgres.DB) (took [2]time.Duration, figures work.ActFigures, err error) {
	since := time.Now()
	report, err := db.Jobs().Act(ctx, work.JobAct{Act: work.ActCancel, By: "bench", UserID: 1, Filter: work.JobFilter{Type: "sleep", Statuses: []work.Status{work.StatusApproved}}})
	if err != nil {
		return took, figures, err
	}
	took[0] = time.Since(since)
	batch, err := db.Claims().Claim(ctx, work.ClaimRequest{Lane: "actions", Worker: worker, Types: []string{work.TypeJobAction}, Most: 1})
	if err != nil || len(batch.Claims) != 1 {
		return took, figures, fmt.Errorf("claim job %q of the act: %w", report.JobID, err)
	}
	since = time.Now()
	figures = report.ActFigures
	for more := true; more && err == nil; {
		figures, more, err = db.Jobs().ActPart(ctx, batch.Claims[0], work.JobAct{Act: work.ActCancel, By: "bench"}, figures, func(work.ActFigures) work.Checkpoint {
			return work.Checkpoint{Progress: work.Progress{Stage: "acting"}}
		})
	}
	took[1] = time.Since(since)
	return took, figures, err
}

// latencies are in order.
type latencies []time.Duration

func (l latencies) median() time.Duration { return l[len(l)/2].Round(10 * time.Microsecond) }
func (l latencies) p95() time.Duration    { return l[len(l)*95/100].Round(10 * time.Microsecond) }

// claims claims and completes ten jobs fifty times a second while something else happens, and
// returns how long that takes each time.
func claims(ctx context.Context, db *postgres.DB, meanwhile func(context.Context) error) (took latencies, err error) {
	var over atomic.Bool
	done := make(chan error, 1)
	go func() {
		defer over.Store(true)
		done <- meanwhile(ctx)
	}()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !over.Load() {
		<-tick.C
		since := time.Now()
		batch, err := db.Claims().Claim(ctx, work.ClaimRequest{Lane: "bench", Worker: worker, Types: []string{"noop"}, Most: 10})
		if err != nil {
			return nil, err
		}
		if len(batch.Claims) == 0 {
			return nil, fmt.Errorf("nothing is left to claim")
		}
		outcomes := make([]work.Outcome, len(batch.Claims))
		for i, c := range batch.Claims {
			outcomes[i] = work.Outcome{Claim: c, Status: work.StatusCompleted, Result: json.RawMessage(`{}`)}
		}
		if _, err := db.Claims().Finish(ctx, worker, outcomes); err != nil {
			return nil, err
		}
		took = append(took, time.Since(since))
	}
	slices.Sort(took)
	return took, <-done
}

// fill stores jobs that are to be cancelled, those that others claim meanwhile, and those that
// are over.
func fill(ctx context.Context, dsn string, jobs, others int) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, sql := range []string{
		"INSERT INTO kg_api.worker_lanes (name, job_types, max_slots) VALUES ('bench', '{noop}', 16)",
		"UPDATE kg_api.worker_lanes SET job_types = job_types || '{job_action}' WHERE name = 'maintenance'",
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	_, err = conn.Exec(ctx, `
		INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, created_at, completed_at, approved_at, approved_by, end_seq, event_seq)
		SELECT 'job_' || lpad(to_hex(n::bigint * 2654435761 % 281474976710656), 12, '0'), s.job_type, s.status, 1, t.at, CASE WHEN s.status = 'completed' THEN t.at END, t.at, 'bench',
			CASE WHEN s.status = 'completed' THEN 2 END, 3
		FROM generate_series(1, $1::int + $2::int) n
		CROSS JOIN LATERAL (SELECT timestamptz '2026-01-01' + n * interval '1 second' AS at) t
		CROSS JOIN LATERAL (SELECT CASE WHEN n <= $1 THEN 'sleep' ELSE 'noop' END AS job_type, CASE WHEN n <= $1 OR n % 9 = 0 THEN 'approved' ELSE 'completed' END AS status) s`, jobs, others)
	if err != nil {
		return err
	}
	if _, err = conn.Exec(ctx, "TRUNCATE kg_api.job_changes"); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "VACUUM ANALYZE kg_api.jobs")
	return err
}
