package remote_test

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// faultyStore is the store of remote workers with faults, and counts.
type faultyStore struct {
	postgres.RemoteStore
	away   atomic.Bool                                      // every call fails, as when the database does not answer
	panics atomic.Bool                                      // so does a step, by a panic
	claims atomic.Int64                                     // that reached the database
	before atomic.Pointer[func(r work.RemoteClaimRequest)]  // is called before a claim
	ended  atomic.Pointer[func(outcomes []work.RunOutcome)] // is called after ends were stored
	mu     sync.Mutex
	gone   []work.RemoteConnection
	slow   atomic.Pointer[func(ctx context.Context, op string)] // is called before what is stored for a run
}

// Disconnect notes that a server has asked for it.
func (s *faultyStore) Disconnect(ctx context.Context, c work.RemoteConnection) error {
	s.mu.Lock()
	s.gone = append(s.gone, c)
	s.mu.Unlock()
	return s.RemoteStore.Disconnect(ctx, c)
}

// disconnects returns the connections that have ended, as servers said.
func (s *faultyStore) disconnects() []work.RemoteConnection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone
}

func (s *faultyStore) fault(ctx context.Context, op string) error {
	if f := s.slow.Load(); f != nil {
		(*f)(ctx, op)
	}
	if s.away.Load() {
		return kappa.NewError(kappa.CodeUnavailable, "the database does not answer, as the test wants")
	}
	return nil
}

func (s *faultyStore) Claim(ctx context.Context, r work.RemoteClaimRequest) ([]work.RemoteClaimed, error) {
	s.claims.Add(1)
	if f := s.before.Load(); f != nil {
		(*f)(r)
	}
	if err := s.fault(ctx, "claim"); err != nil {
		return nil, err
	}
	return s.RemoteStore.Claim(context.WithoutCancel(ctx), r)
}

func (s *faultyStore) Finish(ctx context.Context, outcomes []work.RunOutcome) (map[int64]work.RunEnd, error) {
	if err := s.fault(ctx, "finish"); err != nil {
		return nil, err
	}
	done, err := s.RemoteStore.Finish(ctx, outcomes)
	if f := s.ended.Load(); f != nil {
		(*f)(outcomes)
	}
	return done, err
}

func (s *faultyStore) Confirm(ctx context.Context, runs []work.RunKey) (map[int64]work.ConfirmedRun, error) {
	if err := s.fault(ctx, "confirm"); err != nil {
		return nil, err
	}
	return s.RemoteStore.Confirm(ctx, runs)
}

func (s *faultyStore) RunState(ctx context.Context, identity, jobID string, token int64) (work.RunState, error) {
	if err := s.fault(ctx, "state"); err != nil {
		return work.RunState{}, err
	}
	return s.RemoteStore.RunState(ctx, identity, jobID, token)
}

func (s *faultyStore) StartStep(ctx context.Context, run work.RunKey, step work.RunStep) error {
	if s.panics.Load() {
		panic("as the test wants")
	}
	if err := s.fault(ctx, "step"); err != nil {
		return err
	}
	return s.RemoteStore.StartStep(ctx, run, step)
}

func (s *faultyStore) CompleteStep(ctx context.Context, run work.RunKey, step work.RunStep) error {
	if err := s.fault(ctx, "step"); err != nil {
		return err
	}
	return s.RemoteStore.CompleteStep(ctx, run, step)
}

func (s *faultyStore) AddLog(ctx context.Context, run work.RunKey, lines []work.RunLogLine) error {
	if err := s.fault(ctx, "log"); err != nil {
		return err
	}
	return s.RemoteStore.AddLog(ctx, run, lines)
}

func (s *faultyStore) Secret(ctx context.Context, name string) ([]byte, error) {
	if err := s.fault(ctx, "secret"); err != nil {
		return nil, err
	}
	return s.RemoteStore.Secret(ctx, name)
}

func (s *faultyStore) Seen(ctx context.Context, seen []work.RemoteSeen) (map[string]work.RemoteOrders, error) {
	if err := s.fault(ctx, "seen"); err != nil {
		return nil, err
	}
	return s.RemoteStore.Seen(ctx, seen)
}
