package remote

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// group is a slot group as this server knows it. It does not change.
type group struct {
	work.RemoteGroup
	queues []string // that are named
	others bool
}

func newGroup(name string, queues []string, slots int) group {
	g := group{RemoteGroup: work.RemoteGroup{Name: name, Queues: queues, Max: slots}, queues: queues}
	if k := len(queues); k > 0 && queues[k-1] == wire.AnyQueue {
		g.queues, g.others = queues[:k-1], true
	}
	return g
}

// takes reports whether jobs of a queue may run in the group.
func (g *group) takes(queue string) bool { return g.others || slices.Contains(g.queues, queue) }

func plain(groups []group) []work.RemoteGroup {
	list := make([]work.RemoteGroup, len(groups))
	for i, g := range groups {
		list[i] = g.RemoteGroup
	}
	return list
}

// compatGroups reads the queues map of a join; nil when it cannot be read.
func compatGroups(raw json.RawMessage) []group {
	var m map[string]int
	if json.Unmarshal(raw, &m) != nil || len(m) == 0 {
		return nil
	}
	var groups []group
	for key, slots := range m {
		queues := strings.FieldsFunc(key, func(r rune) bool { return r == ',' || r == '>' })
		if slots < 1 || slots > wire.MaxSlots || wire.CheckQueues(queues) != nil {
			return nil
		}
		groups = append(groups, newGroup(strings.Join(queues, ">"), queues, slots))
	}
	slices.SortFunc(groups, func(a, b group) int { return strings.Compare(a.Name, b.Name) })
	return groups
}

// isGiven reports whether the groups of a worker are those that it was given.
func isGiven(groups []group, given []work.SlotGroup) bool {
	return slices.EqualFunc(groups, given, func(g group, want work.SlotGroup) bool {
		return g.Max == want.Max && slices.Equal(g.RemoteGroup.Queues, want.Queues)
	})
}
