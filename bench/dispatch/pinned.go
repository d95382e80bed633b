package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

const (
	deadClaims = 150_000
	claimSize  = 100
	claimRuns  = 50
)

// pinnedClaims measures claims of 100 jobs, first with nothing in the way, then
// with 150,000 ended claims that an old transaction keeps from being removed.
func pinnedClaims(ctx context.Context, dsn string) error {
	db, err := storeNoops(ctx, dsn, deadClaims+3*claimSize*claimRuns)
	if err != nil {
		return err
	}
	defer db.Close()
	worker := work.Worker{ID: lanes.NewID(), Hostname: "bench", PID: 1}
	if err := db.Workers().Register(ctx, worker, "bench", time.Hour); err != nil {
		return err
	}
	request := work.ClaimRequest{Lane: "interactive", Worker: worker.ID, Types: []string{work.TypeNoop}, Most: claimSize}
	free, _, err := timeClaims(ctx, db, request)
	if err != nil {
		return err
	}
	pin, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer pin.Close(ctx)
	if _, err := pin.Exec(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM kg_api.worker_lanes"); err != nil {
		return err
	}
	if err := execute(ctx, dsn,
		fmt.Sprintf(`UPDATE kg_api.jobs j SET status = 'processing', lane = 'interactive', claimed_by = '%s', claimed_at = now(), claim_token = nextval('kg_api.claim_tokens')
			FROM (SELECT job_id FROM kg_api.jobs WHERE status = 'approved' ORDER BY created_at, job_id LIMIT %d) AS first WHERE j.job_id = first.job_id`, worker.ID, deadClaims),
		"UPDATE kg_api.jobs SET status = 'completed', completed_at = now() WHERE status = 'processing'",
		"VACUUM ANALYZE kg_api.jobs"); err != nil {
		return err
	}
	whole, last, err := timeClaims(ctx, db, request)
	if err != nil {
		return err
	}
	request.TokenFloor, request.After = last.TokenFloor, []work.ClaimPosition{last.Claims[len(last.Claims)-1].Position}
	after, _, err := timeClaims(ctx, db, request)
	if err != nil {
		return err
	}
	fmt.Printf("\na claim of %d, median of %d: %s; with %d ended claims pinned by an old transaction %s (%.2f ×; reading the whole index each time %s, %.1f ×)\n",
		claimSize, claimRuns, round(free), deadClaims, round(after), float64(after)/float64(free), round(whole), float64(whole)/float64(free))
	return nil
}

// timeClaims claims and finishes batches, and returns the median time of a claim
// and the last batch.
func timeClaims(ctx context.Context, db *postgres.DB, r work.ClaimRequest) (time.Duration, work.ClaimBatch, error) {
	var times []time.Duration
	var batch work.ClaimBatch
	for range claimRuns {
		began := time.Now()
		next, err := db.Claims().Claim(ctx, r)
		if err != nil {
			return 0, batch, err
		}
		times = append(times, time.Since(began))
		if len(next.Claims) != claimSize {
			return 0, batch, fmt.Errorf("%d jobs were claimed, want %d", len(next.Claims), claimSize)
		}
		batch = next
		outcomes := make([]work.Outcome, claimSize)
		for i, c := range batch.Claims {
			outcomes[i] = work.Outcome{Claim: c, Status: work.StatusCompleted, Result: []byte(`{}`)}
		}
		if _, err := db.Claims().Finish(ctx, r.Worker, outcomes); err != nil {
			return 0, batch, err
		}
	}
	slices.Sort(times)
	return times[len(times)/2], batch, nil
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
