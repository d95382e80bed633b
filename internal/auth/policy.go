package auth

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/kappagraph/kappa/access"
)

// policyCache keeps the roles as they were at an epoch. Every authentication reads the
// epoch with the user, in one statement, so that a change of a role counts from the next
// request on, on every server, without a statement of its own.
type policyCache struct {
	now  atomic.Pointer[policyAt]
	read sync.Mutex // one reads for all
}

type policyAt struct {
	*access.Policy
	epoch int64
}

// policyAt returns the roles as they are at an epoch or later.
func (s *Service) policyAt(ctx context.Context, epoch int64) (*access.Policy, error) {
	if at := s.policy.now.Load(); at != nil && at.epoch == epoch {
		return at.Policy, nil
	}
	s.policy.read.Lock()
	defer s.policy.read.Unlock()
	if at := s.policy.now.Load(); at != nil && at.epoch >= epoch {
		return at.Policy, nil
	}
	policy, read, err := s.store.Policy(ctx)
	if err != nil {
		return nil, err
	}
	s.policy.now.Store(&policyAt{Policy: policy, epoch: read})
	return policy, nil
}

// Policy returns the roles as they are now.
func (s *Service) Policy(ctx context.Context) (*access.Policy, error) {
	epoch, err := s.store.AccessEpoch(ctx)
	if err != nil {
		return nil, err
	}
	return s.policyAt(ctx, epoch)
}

// principalOf returns a user with what the user's roles grant, and no token.
func (s *Service) principalOf(ctx context.Context, u access.User) (access.Principal, error) {
	policy, err := s.Policy(ctx)
	if err != nil {
		return access.Principal{}, err
	}
	p := access.Principal{User: u}
	p.Grants, p.Rows = policy.Rights(u, s.now())
	return p, nil
}
