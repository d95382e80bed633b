package lanes

import (
	"context"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// fakeStore is the database as the lanes see it: a queue of approved jobs and
// the claims on them.
type fakeStore struct {
	mu          sync.Mutex
	lanes       []work.Lane
	queue       []work.Claim
	token       int64
	held        map[string]work.HeldClaim
	ended       []work.Outcome
	batches     []int // outcomes in each Finish
	claims      int   // calls of Claim
	asked       work.ClaimRequest
	claimErr    error
	claimed     map[string]time.Time
	loseClaim   bool // the next claim is made, and its answer lost
	finishErr   error
	finishTime  time.Duration // of each outcome
	finishing   func()        // called in Finish
	claiming    func()        // called in Claim
	lanesErr    error
	registerErr error
	polls       int // calls of Held
	ceiling     int // of slots
}

func newFakeStore(jobs ...string) *fakeStore {
	s := &fakeStore{
		held: map[string]work.HeldClaim{}, claimed: map[string]time.Time{},
		lanes: []work.Lane{{Name: "interactive", JobTypes: []string{"work"}, MaxSlots: 2, PollIntervalMS: 2000, Enabled: true}},
	}
	s.approve(jobs...)
	return s
}

func (s *fakeStore) approve(jobs ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range jobs {
		s.queue = append(s.queue, work.Claim{JobID: id, JobType: "work", MaxRetries: 3})
	}
}

func (s *fakeStore) Lanes(context.Context) ([]work.Lane, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]work.Lane(nil), s.lanes...), s.lanesErr
}

// Claim makes a claim whatever becomes of ctx; but whoever does not wait for the
// answer does not learn of it.
func (s *fakeStore) Claim(ctx context.Context, r work.ClaimRequest) (work.ClaimBatch, error) {
	if s.claiming != nil {
		s.claiming()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.claims++
	s.asked = r
	if s.claimErr != nil {
		return work.ClaimBatch{}, s.claimErr
	}
	for _, l := range s.lanes {
		if l.Name == r.Lane && !l.Enabled {
			return work.ClaimBatch{}, nil
		}
	}
	var claims []work.Claim
	for len(s.queue) > 0 && len(claims) < r.Most {
		c := s.queue[0]
		s.queue = s.queue[1:]
		s.token++
		c.Token, c.Worker, c.Lane, c.Attempt = s.token, r.Worker, r.Lane, c.Attempt+1
		c.ClaimedAt = time.Now()
		s.held[c.JobID], s.claimed[c.JobID] = work.HeldClaim{JobID: c.JobID, Token: c.Token}, c.ClaimedAt
		claims = append(claims, c)
	}
	if (s.loseClaim || ctx.Err() != nil) && len(claims) > 0 {
		s.loseClaim = false
		return work.ClaimBatch{}, kappa.NewError(kappa.CodeUnavailable, "the answer is lost")
	}
	return work.ClaimBatch{Claims: claims}, nil
}

func (s *fakeStore) Locked(context.Context, []string) ([]string, error) { return nil, nil }

func (s *fakeStore) Finish(ctx context.Context, _ string, outcomes []work.Outcome) (map[string]work.Status, error) {
	if s.finishing != nil {
		s.finishing()
	}
	if s.finishTime > 0 {
		select {
		case <-ctx.Done():
			return nil, kappa.NewError(kappa.CodeUnavailable, "the database took too long")
		case <-time.After(time.Duration(len(outcomes)) * s.finishTime):
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches = append(s.batches, len(outcomes))
	if s.finishErr != nil {
		return nil, s.finishErr
	}
	statuses := map[string]work.Status{}
	for _, o := range outcomes {
		if h, ok := s.held[o.Claim.JobID]; ok && h.Token == o.Claim.Token {
			delete(s.held, o.Claim.JobID)
			s.ended = append(s.ended, o)
			if o.Status == work.StatusApproved {
				s.queue = append(s.queue, work.Claim{JobID: o.Claim.JobID, JobType: "work", MaxRetries: 3})
			}
			statuses[o.Claim.JobID] = o.Status
		}
	}
	return statuses, nil
}

func (s *fakeStore) outcomes() map[string]work.Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := map[string]work.Outcome{}
	for _, o := range s.ended {
		m[o.Claim.JobID] = o
	}
	return m
}

// heldPolls returns how often the database was asked what is held.
func (s *fakeStore) heldPolls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.polls
}

// takeBack makes a job approved again, as stale recovery does.
func (s *fakeStore) takeBack(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, id)
	s.queue = append(s.queue, work.Claim{JobID: id, JobType: "work", MaxRetries: 3})
}

func (s *fakeStore) Register(context.Context, work.Worker, string, time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.registerErr
}
func (s *fakeStore) Unregister(context.Context, string) error { return nil }

// fakeHeartbeat renews as renew says; nil renews always.
type fakeHeartbeat struct {
	store *fakeStore
	renew func() error
}

func (h fakeHeartbeat) Renew(ctx context.Context, _ string, _ time.Duration) error {
	if h.renew == nil {
		return nil
	}
	return h.renew()
}

func (h fakeHeartbeat) Held(context.Context, string) ([]work.HeldClaim, error) {
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	h.store.polls++
	var held []work.HeldClaim
	for id, c := range h.store.held {
		c.Age = time.Since(h.store.claimed[id])
		held = append(held, c)
	}
	return held, nil
}

func (h fakeHeartbeat) Close(context.Context) error { return nil }
