package remote

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

const (
	claimsAtOnce  = 3  // statements; more would find what the others have locked, see Server.spare
	groupsAtOnce  = 32 // whose claims are one statement: what it takes is locked until its end
	mostOfOneTime = groupsAtOnce * wire.MaxDemand

	passedOverFor = time.Second // after a claim that found jobs locked, others reckon with it
)

// claimers put claims together: while a statement is on its way that takes the same
// types from the same queues, those that come meanwhile wait for the next one, in their
// order. Claims of other queues do not wait for it, and one that comes alone does not
// wait at all.
type claimers struct {
	run   func(ctx context.Context, r work.RemoteClaimRequest) ([]work.RemoteClaimed, error)
	spawn func(func())

	mu   sync.Mutex
	list map[string]*claimer
}

// claimer is the batcher of claims that differ only in their slots.
type claimer struct {
	batcher[work.RemoteSlots, work.RemoteClaimed]
	users int // guarded by the claimers; the last one removes it, for workers choose the names
}

// do claims for the one group of r, and returns what it got, or ctx's error. The
// statement goes on when ctx ends.
func (c *claimers) do(ctx context.Context, r work.RemoteClaimRequest) (work.RemoteClaimed, error) {
	key := claimKey(r)
	b := c.enter(key, r)
	defer c.leave(key, b)
	return b.do(ctx, r.Groups[0])
}

func (c *claimers) enter(key string, r work.RemoteClaimRequest) *claimer {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.list[key]
	if b == nil {
		b = &claimer{}
		b.spawn, b.most = c.spawn, groupsAtOnce
		b.run = func(ctx context.Context, groups []work.RemoteSlots) ([]work.RemoteClaimed, error) {
			all := r
			all.Groups = groups
			return c.run(ctx, all)
		}
		if c.list == nil {
			c.list = map[string]*claimer{}
		}
		c.list[key] = b
	}
	b.users++
	return b
}

func (c *claimers) leave(key string, b *claimer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b.users--; b.users == 0 {
		delete(c.list, key)
	}
}

// claimKey is the same for claims that one statement can serve. Types and queues are
// names without spaces.
func claimKey(r work.RemoteClaimRequest) string {
	key := strings.Join(r.Types, ",") + " " + strings.Join(r.Queues, ",")
	if r.Others {
		key += " " + wire.AnyQueue
	}
	return key
}

// claimAll claims in the database.
func (s *Server) claimAll(ctx context.Context, r work.RemoteClaimRequest) ([]work.RemoteClaimed, error) {
	ctx, cancel := context.WithTimeout(ctx, statementLimit)
	defer cancel()
	jobs := 0
	for _, g := range r.Groups {
		jobs += g.Most
	}
	s.claiming <- struct{}{}
	defer func() { <-s.claiming }()
	r.Spare = s.spare(jobs)
	defer s.asked.Add(-int64(jobs))
	key := claimKey(r)
	claimed, err := s.cfg.Store.Claim(ctx, s.turns.request(key, r))
	if err == nil {
		s.turns.claimed(key, claimed)
	}
	return claimed, err
}

// spare returns how many jobs a claim reads beyond its demand: as many as the other
// claims that are under way here can have locked, and one that comes meanwhile. When more
// are locked, what is left is found by the next claim, which reads past what a claim of
// another server locks.
func (s *Server) spare(jobs int) int {
	spare := int(s.asked.Add(int64(jobs)))
	if time.Now().UnixNano()-s.passedOver.Load() < int64(passedOverFor) {
		spare += mostOfOneTime
	}
	return min(spare, (claimsAtOnce-1)*mostOfOneTime)
}
