package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// linear makes histories, one after another, on one database.
type linear struct {
	dsn      string
	db       *postgres.DB
	beats    []*postgres.HeartbeatSession // one for each caller
	unfenced bool                         // completions are guarded by the status alone

	jobs    []string // of the present history
	workers []string
	start   time.Time

	mu     sync.Mutex // guards what follows
	calls  []porcupine.Operation
	claims []work.Claim // all that there were
}

func newLinear(t *testing.T) *linear {
	t.Helper()
	l := &linear{dsn: pgtest.NewDSN(t)}
	check(t, prepare(t.Context(), l.dsn, 0, ""))
	var err error
	l.db, err = postgres.Open(t.Context(), postgres.Config{DSN: l.dsn, JobConns: linearCallers, GraphConns: 1, AuthConns: 1, AcquireTimeout: time.Minute})
	check(t, err)
	t.Cleanup(l.db.Close)
	for range linearCallers {
		beat, err := l.db.DialHeartbeat(t.Context(), time.Minute)
		check(t, err)
		t.Cleanup(func() { _ = beat.Close(context.WithoutCancel(t.Context())) })
		l.beats = append(l.beats, beat)
	}
	return l
}

// history makes the history that a seed decides, as far as one can that depends
// on who comes first.
func (l *linear) history(t *testing.T, seed uint64) []porcupine.Operation {
	t.Helper()
	executeSQL(t, l.dsn, "DELETE FROM kg_api.jobs; DELETE FROM kg_api.job_events; DELETE FROM kg_api.workers; DELETE FROM campaign.history")
	l.jobs, l.workers, l.calls, l.claims, l.start = nil, nil, nil, nil, time.Now()
	for range linearJobs {
		job, err := l.db.Jobs().SubmitJob(t.Context(), work.NewJob{Type: work.TypeNoop, Queue: work.DefaultQueue, UserID: access.SystemUserID})
		check(t, err)
		l.jobs = append(l.jobs, job.ID)
	}
	for n := range linearWorkers {
		id := "00000000-0000-4000-8000-" + strconv.Itoa(100_000_000_000+n)
		check(t, l.db.Workers().Register(t.Context(), work.Worker{ID: id, Hostname: "test", PID: 1}, "test", time.Hour))
		l.workers = append(l.workers, id)
	}
	var callers sync.WaitGroup
	errs := make([]error, linearCallers)
	for n := range linearCallers {
		r := rand.New(rand.NewPCG(seed, uint64(n)))
		callers.Go(func() {
			for range linearCalls {
				errs[n] = errors.Join(errs[n], l.call(t.Context(), n, r))
			}
		})
	}
	callers.Wait()
	check(t, errors.Join(errs...))
	return l.calls
}

// linearResult is one operation and its answer.
type linearResult struct {
	linearCall
	linearAnswer
}

// call makes one random call and records it.
func (l *linear) call(ctx context.Context, caller int, r *rand.Rand) error {
	job, worker := l.jobs[r.IntN(linearJobs)], r.IntN(linearWorkers)
	claim, known := l.known(r)
	began := time.Since(l.start)
	var results []linearResult
	var err error
	switch draw := r.IntN(100); {
	case draw < 15:
		results, err = one(linearCall{job: job, what: callApprove}, "", l.db.Jobs().Approve(ctx, job, "test"))
	case draw < 40:
		results, err = l.claim(ctx, worker, 1+r.IntN(2))
	case draw < 47:
		running, cancelErr := l.db.Jobs().Cancel(ctx, job)
		status := work.Status("")
		if running {
			status = work.StatusProcessing
		}
		results, err = one(linearCall{job: job, what: callCancel}, status, cancelErr)
	case draw < 55:
		row, readErr := l.db.Jobs().Job(ctx, job)
		results, err = one(linearCall{job: job, what: callRead}, row.Status, readErr)
	case draw < 59:
		results, err = one(linearCall{job: l.workers[worker], what: callDie, worker: worker}, "", l.db.Workers().Unregister(ctx, l.workers[worker]))
	case draw < 64:
		results, err = one(linearCall{job: l.workers[worker], what: callRenew, worker: worker}, "", l.beats[caller].Renew(ctx, l.workers[worker], time.Hour))
	case draw < 72:
		results, err = l.rescue(ctx)
	case draw < 74:
		_, _, err = l.db.Queue().MakeDue(ctx, time.Minute) // the turn of a suspect may come
	case !known:
		return nil
	case draw < 82:
		results, err = one(l.under(claim, callCheckpoint), "", l.db.Claims().Checkpoint(ctx, claim, work.Checkpoint{}))
	default:
		results, err = l.finish(ctx, claim, r)
	}
	ended := time.Since(l.start)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range results {
		l.calls = append(l.calls, porcupine.Operation{
			ClientId: caller, Input: n.linearCall, Call: began.Nanoseconds(), Output: n.linearAnswer, Return: ended.Nanoseconds(),
		})
	}
	return err
}

// known draws one of the claims that there were, current or not.
func (l *linear) known(r *rand.Rand) (work.Claim, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.claims) == 0 {
		return work.Claim{}, false
	}
	return l.claims[r.IntN(len(l.claims))], true
}

// under is a call under a claim.
func (l *linear) under(c work.Claim, what string) linearCall {
	return linearCall{job: c.JobID, what: what, worker: slices.Index(l.workers, c.Worker), token: c.Token}
}

func (l *linear) claim(ctx context.Context, worker, most int) ([]linearResult, error) {
	batch, err := l.db.Claims().Claim(ctx, work.ClaimRequest{Lane: campaignLane + work.TypeNoop, Worker: l.workers[worker], Types: jobTypes(), Most: most})
	var results []linearResult
	for _, c := range batch.Claims {
		results = append(results, linearResult{l.under(c, callClaim), linearAnswer{status: work.StatusProcessing}})
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.claims = append(l.claims, batch.Claims...)
	return results, err
}

func (l *linear) rescue(ctx context.Context) ([]linearResult, error) {
	taken, err := l.db.Queue().Rescue(ctx, 0, linearJobs)
	var results []linearResult
	for job, status := range taken {
		results = append(results, linearResult{linearCall{job: job, what: callRescue}, linearAnswer{status: status}})
	}
	return results, err
}

// finish completes, fails or releases a job under a claim.
func (l *linear) finish(ctx context.Context, c work.Claim, r *rand.Rand) ([]linearResult, error) {
	call := l.under(c, callFinish)
	call.status = []work.Status{work.StatusCompleted, work.StatusApproved, work.StatusApproved, work.StatusFailed}[r.IntN(4)]
	if l.unfenced && call.status == work.StatusCompleted {
		return l.finishUnfenced(ctx, call)
	}
	statuses, err := l.db.Claims().Finish(ctx, c.Worker, []work.Outcome{{Claim: c, Status: call.status, Error: "test"}})
	if status, stored := statuses[c.JobID]; stored || err != nil {
		return one(call, status, err)
	}
	return one(call, "", kappa.ErrStale)
}

// finishUnfenced is a completion as it must not be: without regard to who holds the job.
func (l *linear) finishUnfenced(ctx context.Context, call linearCall) ([]linearResult, error) {
	conn, err := pgx.Connect(ctx, l.dsn)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	tag, err := conn.Exec(ctx, "UPDATE kg_api.jobs SET status = 'completed', completed_at = clock_timestamp() WHERE job_id = $1 AND status = 'processing'", call.job)
	if err == nil && tag.RowsAffected() == 0 {
		err = kappa.ErrStale
	}
	return one(call, work.StatusCompleted, err)
}

// one is the result of a call for one job. An error that is no answer is
// returned.
func one(c linearCall, status work.Status, err error) ([]linearResult, error) {
	a := linearAnswer{status: status}
	switch {
	case err == nil:
	case kappa.ErrorCode(err) == kappa.CodeConflict:
		a = linearAnswer{err: "conflict"}
	case errors.Is(err, kappa.ErrStale):
		a = linearAnswer{err: "stale"}
	case errors.Is(err, kappa.ErrCancelled):
		a = linearAnswer{err: "cancelled"}
	case errors.Is(err, kappa.ErrLeaseLost):
		a = linearAnswer{err: "lost"}
	default:
		return nil, err
	}
	return []linearResult{{c, a}}, nil
}
