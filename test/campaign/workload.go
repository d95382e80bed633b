package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

const (
	submitters  = 6
	callTimeout = 10 * time.Second
	storeRetry  = 200 * time.Millisecond
	maxRetries  = 50 // of each job: what fails here fails for reasons that pass
)

// jobTypes returns the types that a campaign submits.
func jobTypes() []string { return []string{work.TypeNoop, work.TypeSleep, work.TypeEffect} }

// plannedJob is one job of the workload; the seed decides it.
type plannedJob struct {
	number   int
	job      work.NewJob
	overHTTP bool
	approve  bool          // it is submitted for approval, and approved later
	cancel   bool          // it is cancelled after
	after    time.Duration // the submission
}

// plan returns job number n of a seed.
func planJob(seed uint64, n int) plannedJob {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	p := plannedJob{number: n, overHTTP: r.IntN(10) == 0, approve: r.IntN(10) == 0, cancel: r.IntN(25) == 0}
	p.after = between(r, 0, 400*time.Millisecond)
	p.job = work.NewJob{
		Type: jobTypes()[0], Queue: work.DefaultQueue, Priority: r.IntN(41) - 20, MaxRetries: maxRetries,
		AutoApprove: !p.approve, UserID: access.SystemUserID,
	}
	data := map[string]int{"n": n}
	ms := 100 + r.IntN(1500)
	if r.IntN(20) == 0 {
		ms *= 4 // long enough to be met by a zombie
	}
	switch draw := r.IntN(10); {
	case draw >= 8:
		p.job.Type, data["ms"], data["steps"] = work.TypeSleep, ms, 1+r.IntN(10)
	case draw >= 6:
		p.job.Type, data["ms"], data["steps"] = work.TypeEffect, ms, 1+r.IntN(6)
	}
	if r.IntN(maintainedOneIn) == 0 {
		p.job.Type, p.job.Data = maintenanceJob(r, n)
		return p
	}
	p.job.Data, _ = json.Marshal(data) // numbers by name always encode
	return p
}

// between draws a duration from least to most.
func between(r *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(r.Int64N(int64(most-least)))
}

// submissions is what became of the workload.
type submissions struct {
	Accepted  map[string]int  // number by id, of the jobs whose submission was answered
	Unsure    map[int]bool    // the answer was lost: the job exists, or not
	Cancelled map[string]bool // the cancel was acknowledged
	Conflicts int             // cancels that came too late
}

// submitter submits the workload.
type submitter struct {
	seed    uint64
	db      *postgres.DB // past the faults of the servers' connections
	servers []*server
	access  *apiAccess
	fresh   chan<- string // takes accepted jobs while somebody wants one; closed at the end
	log     *slog.Logger

	mu     sync.Mutex // guards result
	result submissions
}

func newSubmitter(c *campaign, fresh chan<- string) *submitter {
	return &submitter{seed: c.cfg.Seed, db: c.db, servers: c.servers, access: c.access, fresh: fresh, log: c.cfg.Log, result: submissions{
		Accepted: map[string]int{}, Unsure: map[int]bool{}, Cancelled: map[string]bool{},
	}}
}

// run submits jobs evenly over the given time, and more for those whose
// submission was not answered, until so many are accepted or ctx ends. It
// returns what became of them.
func (s *submitter) run(ctx context.Context, jobs int, over time.Duration) submissions {
	queue := make(chan plannedJob)
	var group, later sync.WaitGroup
	for range submitters {
		group.Go(func() {
			for p := range queue {
				s.submit(ctx, p, &later)
			}
		})
	}
	began := time.Now()
	for n := 0; n < jobs || s.accepted() < jobs; n++ {
		due := began.Add(over * time.Duration(n) / time.Duration(jobs))
		if !pause(ctx, time.Until(due)) {
			break
		}
		queue <- planJob(s.seed, n)
	}
	close(queue)
	group.Wait()
	close(s.fresh)
	later.Wait()
	return s.result
}

// accepted returns how many jobs were accepted so far.
func (s *submitter) accepted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.result.Accepted)
}

// pause waits; it reports false when ctx ended.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return ctx.Err() == nil
	}
}

// submit submits one job, and arranges for its approval and its cancel.
func (s *submitter) submit(ctx context.Context, p plannedJob, later *sync.WaitGroup) {
	callCtx, cancel := context.WithTimeout(ctx, callTimeout)
	id, err := s.send(callCtx, p)
	cancel()
	s.mu.Lock()
	if err != nil {
		s.result.Unsure[p.number] = true
	} else {
		s.result.Accepted[id] = p.number
	}
	s.mu.Unlock()
	if err != nil {
		s.log.DebugContext(ctx, "the answer to a submission is missing", "number", p.number, "err", err)
		pause(ctx, storeRetry) // while the database is away, more tries help nothing
		return
	}
	select {
	case s.fresh <- id:
	default: // every follower has one
	}
	if p.approve || p.cancel {
		later.Go(func() { s.decide(ctx, p, id) })
	}
}

// send submits a job over HTTP or straight to the store, and returns its id.
func (s *submitter) send(ctx context.Context, p plannedJob) (string, error) {
	if p.overHTTP {
		api, err := s.api(ctx, s.servers[p.number%len(s.servers)])
		if err == nil {
			defer api.Close()
			reply, err := api.Jobs.Submit(ctx, p.job)
			return reply.JobID, err
		}
	}
	job, err := s.db.Jobs().SubmitJob(ctx, p.job)
	return job.ID, err
}

// api returns a client of a ready server.
func (s *submitter) api(ctx context.Context, to *server) (*client.Client, error) {
	address := to.address()
	if address == "" {
		return nil, fmt.Errorf("server %d is not ready", to.index)
	}
	return s.access.client(ctx, address)
}

// decide approves or cancels a job, or first one and then the other, until the
// answer is known.
func (s *submitter) decide(ctx context.Context, p plannedJob, id string) {
	if p.approve && !s.insist(ctx, func(ctx context.Context) error { return s.db.Jobs().Approve(ctx, id, "campaign") }) {
		return
	}
	if !p.cancel || !pause(ctx, p.after) {
		return
	}
	s.insist(ctx, func(ctx context.Context) error {
		_, err := s.db.Jobs().Cancel(ctx, id)
		s.mu.Lock()
		defer s.mu.Unlock()
		switch {
		case err == nil:
			s.result.Cancelled[id] = true
		case kappa.ErrorCode(err) == kappa.CodeConflict:
			s.result.Conflicts++
		}
		return err
	})
}

// insist repeats a call while its answer is missing. It reports false when ctx
// ended first. A conflict is an answer: the call before it may have succeeded.
func (s *submitter) insist(ctx context.Context, call func(ctx context.Context) error) bool {
	for {
		callCtx, cancel := context.WithTimeout(ctx, callTimeout)
		err := call(callCtx)
		cancel()
		if err == nil || slices.Contains([]kappa.Code{kappa.CodeConflict, kappa.CodeNotFound}, kappa.ErrorCode(err)) {
			return true
		}
		if !pause(ctx, storeRetry) {
			return false
		}
	}
}
