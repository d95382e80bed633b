package auth

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// policyStore keeps all roles together, and the epoch, which every change of a right moves.
type policyStore interface {
	AccessEpoch(ctx context.Context) (int64, error)
	Policy(ctx context.Context) (p *access.Policy, epoch int64, err error)
}

// Policies keeps the roles as they were at an epoch. Every authentication reads the
// epoch with the user, in one statement, so that a change of a role counts from the next
// request on, on every server, without a statement of its own.
type Policies struct {
	store policyStore
	now   func() time.Time
	last  atomic.Pointer[policyAt]
	read  sync.Mutex // one reads for all
}

type policyAt struct {
	*access.Policy
	epoch int64
}

// at returns the roles as they are at an epoch or later.
func (s *Policies) at(ctx context.Context, epoch int64) (*access.Policy, error) {
	if at := s.last.Load(); at != nil && at.epoch == epoch {
		return at.Policy, nil
	}
	s.read.Lock()
	defer s.read.Unlock()
	if at := s.last.Load(); at != nil && at.epoch >= epoch {
		return at.Policy, nil
	}
	policy, read, err := s.store.Policy(ctx)
	if err != nil {
		return nil, err
	}
	s.last.Store(&policyAt{Policy: policy, epoch: read})
	return policy, nil
}

// Policy returns the roles as they are now.
func (s *Policies) Policy(ctx context.Context) (*access.Policy, error) {
	epoch, err := s.store.AccessEpoch(ctx)
	if err != nil {
		return nil, err
	}
	return s.at(ctx, epoch)
}

// principal returns a user with what the user's roles grant, and no token.
func (s *Policies) principal(ctx context.Context, u access.User) (access.Principal, error) {
	policy, err := s.Policy(ctx)
	if err != nil {
		return access.Principal{}, err
	}
	p := access.Principal{User: u}
	p.Grants, p.Rows = policy.Rights(u, s.now())
	return p, nil
}

// mayGive returns an error unless p may give a role to somebody: it exists, and reaches
// no further than p's own. The roles are returned as they are now, also with an error about
// this one.
func (s *Policies) mayGive(ctx context.Context, p access.Principal, role string) (*access.Policy, error) {
	policy, err := s.Policy(ctx)
	if err != nil {
		return nil, err
	}
	if policy.Role(role) == nil {
		return policy, kappa.Invalid(kappa.FieldError{In: "body", Name: "role", Rule: "must be one of the roles of GET /rbac/roles"})
	}
	if policy.Above(role, p.Rights()) {
		return policy, kappa.NewError(kappa.CodeForbidden, "The role "+role+" may do more than you; somebody who may do as much must give it")
	}
	return policy, nil
}
