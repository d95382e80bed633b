package work

import (
	"strconv"

	"github.com/kappagraph/kappa"
)

// MaxRemoteSlots is how many slots the groups of a remote worker may have together.
const MaxRemoteSlots = 1000

// ProfileExtended is the profile of the protocol that kg worker speaks.
const ProfileExtended = "kappa/1"

// RemoteOrders are what an operator wants of a remote worker. They hold as long as its
// process lives, through its connections.
type RemoteOrders struct {
	Number   int64 // rises with each order
	Draining bool  // it is to take nothing new
	Groups   []SlotGroup
}

// SlotGroup is a slot group that an operator gives a worker in place of its own.
type SlotGroup struct {
	Queues []string `json:"queues" doc:"In order of preference; * for all others comes last"`
	Max    int      `json:"max" doc:"Slots, 1 to 1000 in all groups together"`
}

// RemoteExtended is what a heartbeat of a live worker finds.
type RemoteExtended struct {
	Orders RemoteOrders
	Held   []HeldRun
}

// CheckSlotGroups reports everything that is wrong with slot groups, as kappa.CodeInvalid. None
// are right: the worker has its own.
func CheckSlotGroups(groups []SlotGroup) error {
	var fields []kappa.FieldError
	add := func(i int, member, rule string) {
		if rule != "" {
			fields = append(fields, kappa.FieldError{In: "body", Name: "groups[" + strconv.Itoa(i) + "]." + member, Rule: rule})
		}
	}
	slots := 0
	for i, g := range groups {
		if len(g.Queues) == 0 {
			add(i, "queues", "must name at least one queue")
		}
		for k, q := range g.Queues {
			switch {
			case q != "*":
				add(i, "queues", checkQueue(q))
			case k < len(g.Queues)-1:
				add(i, "queues", `"*" must come last`)
			}
		}
		if g.Max < 1 || g.Max > MaxRemoteSlots {
			add(i, "max", "must be 1 to "+strconv.Itoa(MaxRemoteSlots)+", got "+strconv.Itoa(g.Max))
		}
		slots += min(max(g.Max, 0), MaxRemoteSlots)
	}
	if slots > MaxRemoteSlots {
		fields = append(fields, kappa.FieldError{In: "body", Name: "groups", Rule: "must have at most " + strconv.Itoa(MaxRemoteSlots) + " slots together, got " + strconv.Itoa(slots)})
	}
	return kappa.Invalid(fields...)
}
