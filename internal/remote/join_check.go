package remote

import (
	"slices"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

// checkJoin reports what is wrong with the join of a worker of the extended profile, on a
// server that has these types.
func (m *member) checkJoin(j wire.Join, served []string) *wire.Error {
	switch {
	case m.expired:
		return wire.NewError(wire.CodeLeaseExpired, "the lease of this worker is over; take a new identity")
	case m.contested:
		return wire.NewError(wire.CodeIdentityInUse, "two processes share one worker identity")
	case j.Profile != wire.Profile:
		return wire.NewError(wire.CodeUnsupportedProfile, "profile: must be %s", wire.Profile)
	case len(j.Types) == 0:
		return wire.NewError(wire.CodeUnknownType, "types: name at least one of %v", served)
	case len(j.Groups) == 0:
		return wire.NewError(wire.CodeBadGroups, "groups: at least one is needed")
	}
	for _, t := range j.Types {
		if !slices.Contains(served, t) {
			return wire.NewError(wire.CodeUnknownType, "types: %q is no remote type of this server, which has %v", cut(t, 64), served)
		}
	}
	slots, names := 0, map[string]bool{}
	for _, g := range j.Groups {
		if g.Group == "" || len(g.Group) > 64 || names[g.Group] {
			return wire.NewError(wire.CodeBadGroups, "groups: each needs a name of its own")
		}
		if err := wire.CheckQueues(g.Queues); err != nil {
			return wire.NewError(wire.CodeBadGroups, "groups: %s: %s", cut(g.Group, 64), err)
		}
		for _, q := range g.Queues {
			if q != wire.AnyQueue && !wire.IsQueue(q) {
				return wire.NewError(wire.CodeBadGroups, "groups: %s: queue %q may hold only letters, digits and _", cut(g.Group, 64), cut(q, 64))
			}
		}
		if g.Max < 1 || g.Max > wire.MaxSlots {
			return wire.NewError(wire.CodeBadGroups, "groups: %s: max must be 1 to %d", cut(g.Group, 64), wire.MaxSlots)
		}
		names[g.Group] = true
		slots += g.Max
	}
	if slots > wire.MaxSlots {
		return wire.NewError(wire.CodeBadGroups, "groups: at most %d slots in all groups together, got %d", wire.MaxSlots, slots)
	}
	return nil
}
