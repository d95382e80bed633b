package remote

import (
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/work"
)

// TestOrdersInAnyOrder gives a worker orders as statements bring them, in any order and more
// than once: the last one by number counts, and each is new once at most.
func TestOrdersInAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.Int64Range(1, 9), 1, 20).Draw(t, "numbers")
		m := newMember(hello{}, work.RemoteOpened{}, false)
		highest := int64(0)
		for _, number := range numbers {
			was, isNew := m.obey(work.RemoteOrders{Number: number, Draining: number%2 == 1})
			if isNew != (number > highest) || was.Number != highest {
				t.Fatalf("order %d after %d is new: %v, before it was %d", number, highest, isNew, was.Number)
			}
			highest = max(highest, number)
		}
		if v := m.view(); v.orders.Number != slices.Max(numbers) || v.draining() != (v.orders.Number%2 == 1) {
			t.Fatalf("the orders are %+v", v.orders)
		}
	})
}

// TestViewsDoNotChange has many change what a worker is while others read it: each change
// counts, and a view stays as it was.
func TestViewsDoNotChange(t *testing.T) {
	t.Parallel()
	m := newMember(hello{}, work.RemoteOpened{}, false)
	before := m.view()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 100 {
				m.change(func(next *membership) { next.capacity++ })
				if i == 0 {
					m.obey(work.RemoteOrders{Number: int64(m.view().capacity)})
				}
			}
		})
	}
	all.Wait()
	if v := m.view(); v.capacity != 800 || before.capacity != 0 {
		t.Errorf("the capacity is %d, and was %d before", v.capacity, before.capacity)
	}
}

// TestJoinAndLeave says what of a worker stays when it joins again and when it leaves.
func TestJoinAndLeave(t *testing.T) {
	t.Parallel()
	given := []work.SlotGroup{{Queues: []string{"q"}, Max: 2}}
	m := newMember(hello{extended: true}, work.RemoteOpened{}, false)
	if v := m.view(); v.state() != "joining" || v.ever || !v.extended {
		t.Errorf("before the join it is %+v", v)
	}
	m.obey(work.RemoteOrders{Number: 1, Groups: given})
	if !m.view().regrouped {
		t.Error("it is not expected to come back after it was told of other groups")
	}
	join := membership{joinRef: "1", extended: true, types: []string{"exec"}, groups: []group{newGroup("g", []string{"q"}, 2)}, capacity: 2}
	if v := m.join(join); v.regrouped || v.orders.Number != 1 || v.state() != "online" || v.group("g", "") == nil || v.group("", "q") == nil {
		t.Errorf("after the join it is %+v", v)
	}
	if got := m.view().claims([]string{"exec", "other"}); !slices.Equal(got, join.types) {
		t.Errorf("a claim may take %v", got)
	}
	if ref := m.leave(); ref != "1" {
		t.Errorf("it leaves the join %q", ref)
	}
	if v := m.view(); v.capacity != 0 || len(v.groups) != 0 || !v.ever || v.state() != "joining" {
		t.Errorf("after it left it is %+v", v)
	}
	if m.drain(); m.view().state() != "draining" {
		t.Error("it does not drain")
	}
}
