package lanes

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa/work"
)

// BenchmarkLane works on jobs that do nothing, with a store in memory that takes
// no time: what is left is what a lane, the Runner and the Finisher cost for each
// job. The store's own part is one map for each group of outcomes.
//
//	go test -run '^$' -bench Lane -benchmem ./internal/lanes
func BenchmarkLane(b *testing.B) {
	for _, slots := range []int{1500, 100, 4} {
		b.Run(strconv.Itoa(slots)+" slots", func(b *testing.B) {
			s := newQuickStore(b.N)
			f := NewFinisher(s, quiet)
			r := NewRunner(workTypes(succeed), f, quiet)
			w := NewWorker(WorkerConfig{Store: newFakeStore(), Dial: noHeartbeat, Log: quiet}, r)
			sessionCtx, endSession := context.WithCancelCause(b.Context())
			w.setSession(&session{id: "w", ctx: sessionCtx, cancel: endSession})
			l := newLane(work.Lane{Name: "bench", MaxSlots: slots, PollIntervalMS: 1000}, ManagerConfig{Store: s, Worker: w, Runner: r, Log: quiet}, nil)
			ctx, stop := context.WithCancel(b.Context())
			var group sync.WaitGroup
			b.ReportAllocs()
			b.ResetTimer()
			group.Go(func() { _ = f.Run(ctx) })
			group.Go(func() { _ = l.Run(ctx) })
			<-s.over
			b.StopTimer()
			r.Drain(ctx, time.Minute)
			stop()
			group.Wait()
			endSession(nil)
			b.ReportMetric(float64(b.N)/float64(s.claims), "jobs/claim")
			b.ReportMetric(float64(b.N)/float64(s.finishes), "jobs/group")
		})
	}
}

// quickStore has a number of jobs, and forgets what becomes of them.
type quickStore struct {
	over chan struct{} // closed when all have ended

	mu               sync.Mutex // guards what follows
	ring             []work.Claim
	given            int
	left, ended      int
	claims, finishes int
}

// newQuickStore returns a store with jobs. Their claims repeat after more of them
// than there are slots.
func newQuickStore(jobs int) *quickStore {
	s := &quickStore{over: make(chan struct{}), ring: make([]work.Claim, 8*maxClaim), left: jobs, ended: jobs}
	for i := range s.ring {
		s.ring[i] = work.Claim{JobID: fmt.Sprintf("job_%012x", i), JobType: "work", Lane: "bench", Token: int64(i), Worker: "w", Attempt: 1}
	}
	return s
}

func (s *quickStore) Claim(_ context.Context, r work.ClaimRequest) (work.ClaimBatch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(s.left, r.Most, len(s.ring)-s.given)
	batch := s.ring[s.given : s.given+n]
	s.given = (s.given + n) % len(s.ring)
	s.left -= n
	s.claims++
	return work.ClaimBatch{Claims: batch}, nil
}

func (s *quickStore) Lanes(context.Context) ([]work.Lane, error) { return nil, nil }

func (s *quickStore) Locked(context.Context, []string) ([]string, error) { return nil, nil }

func (s *quickStore) Finish(_ context.Context, _ string, outcomes []work.Outcome) (map[string]work.Status, error) {
	statuses := make(map[string]work.Status, len(outcomes))
	for i := range outcomes {
		statuses[outcomes[i].Claim.JobID] = outcomes[i].Status
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finishes++
	s.ended -= len(outcomes)
	if s.ended == 0 {
		close(s.over)
	}
	return statuses, nil
}
