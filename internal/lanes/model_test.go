package lanes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The model is the protocol of claims, leases and leaders on paper: two workers,
// two jobs, a lane with one slot, and a leader, any of which may fail between any
// two steps. TestModel visits every state that it can get into. It holds what no
// run of the real thing can show: that no order of events breaks a rule.
//
// rules says which of its rules the model keeps. Each of them is there for a
// reason, which is what the model does without it.
type rules struct {
	token       bool // a completion counts only under the claim token that it names
	lease       bool // a job is taken back when its worker's lease has ended, not when it is old
	materialize bool // a claim's limit is computed once, not again for each row
	countAlone  bool // slots are counted in a statement after the one that locks the lane
	recheck     bool // a claim looks again at what it picked, under the row's lock
	term        bool // a leader's transaction names its term
	share       bool // and holds it, so that the next term waits
}

func everyRule() rules { return rules{true, true, true, true, true, true, true} }

// TestModel checks every state within a number of faults, and that each rule is
// needed: without it a state is reached in which a promise is broken, by the
// steps that are kept here.
func TestModel(t *testing.T) {
	t.Parallel()
	t.Run("with every rule no promise is broken and every job can end", func(t *testing.T) {
		t.Parallel()
		e := explore(everyRule(), maxFaults)
		if e.broken != "" {
			t.Fatalf("%s:\n%s", e.broken, strings.Join(e.trace, "\n"))
		}
		if trace := e.stuck(); trace != nil {
			t.Fatalf("the jobs can not end any more after:\n%s", strings.Join(trace, "\n"))
		}
		if len(e.states) < 10_000 {
			t.Errorf("only %d states were visited: the model does little", len(e.states))
		}
		t.Logf("%d states", len(e.states))
	})
	for _, c := range []struct {
		without string
		rules   func(r *rules)
		broken  string
		trace   []string
	}{
		{"the claim token", func(r *rules) { r.token = false }, "a claim is ended by another one's completion", []string{
			"worker 0 asks for the lane",
			"worker 0 locks the lane",
			"worker 0 picks",
			"worker 0 claims",
			"worker 0 asks for the lane",
			"worker 0 locks the lane",
			"worker 0 sends that job 0 is done",
			"worker 0 takes the lead",
			"worker 0 cannot renew its lease and stops its jobs",
			"lease 0 of worker 0 ends",
			"worker 0 begins to take jobs back",
			"worker 0 takes jobs back",
			"worker 0 picks",
			"worker 0 claims",
			"what worker 0 sent of job 0 arrives",
		}},
		{"the lease", func(r *rules) { r.lease = false }, "two workers that hold their leases handle one job", []string{
			"worker 0 asks for the lane",
			"worker 0 locks the lane",
			"worker 0 picks",
			"worker 0 claims",
			"worker 0 takes the lead",
			"worker 0 begins to take jobs back",
			"worker 0 takes jobs back",
			"worker 1 asks for the lane",
			"worker 1 locks the lane",
			"worker 1 picks",
			"worker 1 claims",
		}},
		{"a materialised limit", func(r *rules) { r.materialize = false }, "more jobs run than there are slots", []string{
			"worker 0 asks for the lane",
			"worker 0 locks the lane",
			"worker 0 picks",
			"worker 0 claims",
		}},
		{"a count after the lock", func(r *rules) { r.countAlone = false }, "more jobs run than there are slots", []string{
			"worker 0 asks for the lane",
			"worker 0 locks the lane",
			"worker 0 picks",
			"worker 1 asks for the lane",
			"worker 0 claims",
			"worker 1 locks the lane",
			"worker 1 picks",
			"worker 1 claims",
		}},
		{"a second look at what was picked", func(r *rules) { r.recheck = false }, "a job is claimed that does not wait", []string{
			"worker 0 asks for the lane",
			"worker 0 locks the lane",
			"worker 0 picks",
			"worker 0 claims",
			"worker 0 asks for the lane",
			"worker 0 locks the lane",
			"worker 0 sends that job 0 is done",
			"what worker 0 sent of job 0 arrives",
			"worker 0 picks",
			"job 1 is cancelled",
			"worker 0 claims",
		}},
		{"the leader's term", func(r *rules) { r.term = false }, "a leader writes after the next one's term was issued", []string{
			"worker 0 asks for the lane",
			"worker 0 locks the lane",
			"worker 0 picks",
			"worker 0 claims",
			"worker 0 takes the lead",
			"worker 0 loses the leader's session",
			"worker 0 cannot renew its lease and stops its jobs",
			"lease 0 of worker 0 ends",
			"worker 1 takes the lead",
			"worker 0 begins to take jobs back",
			"worker 0 takes jobs back",
		}},
		{"the hold on the leader's term", func(r *rules) { r.share = false }, "a leader writes after the next one's term was issued", []string{
			"worker 0 asks for the lane",
			"worker 0 locks the lane",
			"worker 0 picks",
			"worker 0 claims",
			"worker 0 takes the lead",
			"worker 0 loses the leader's session",
			"worker 0 cannot renew its lease and stops its jobs",
			"lease 0 of worker 0 ends",
			"worker 0 begins to take jobs back",
			"worker 1 takes the lead",
			"worker 0 takes jobs back",
		}},
	} {
		t.Run("without "+c.without+" a promise is broken", func(t *testing.T) {
			t.Parallel()
			r := everyRule()
			c.rules(&r)
			e := explore(r, maxFaults)
			if e.broken != c.broken || !slices.Equal(e.trace, c.trace) {
				t.Errorf("want %q after\n\t%s\ngot %q after\n\t%s", c.broken, strings.Join(c.trace, "\n\t"), e.broken, strings.Join(e.trace, "\n\t"))
			}
		})
	}
}

// exploration is what a visit to every state has found.
type exploration struct {
	states []system
	from   []int32 // the state before, by state
	by     []label // the step that led here
	next   [][]int32
	broken string   // the first promise that was broken, or ""
	trace  []string // the shortest way there
}

// explore visits the states breadth first, and stops at the first one that
// breaks a promise.
func explore(r rules, faults uint8) *exploration {
	e := &exploration{states: []system{start(faults)}, from: []int32{-1}, by: []label{{}}}
	known := map[system]int32{e.states[0]: 0}
	for i := int32(0); int(i) < len(e.states); i++ {
		e.next = append(e.next, nil)
		m := &moves{rules: r, from: e.states[i]}
		m.all()
		for _, s := range m.found {
			n, visited := known[s.to]
			if !visited {
				n = int32(len(e.states))
				known[s.to] = n
				e.states, e.from, e.by = append(e.states, s.to), append(e.from, i), append(e.by, s.name)
			}
			e.next[i] = append(e.next[i], n)
			if s.broken != "" {
				e.broken, e.trace = s.broken, append(e.way(i), s.name.String())
				return e
			}
		}
	}
	return e
}

// way returns the steps that lead to a state.
func (e *exploration) way(to int32) []string {
	var steps []string
	for i := to; e.from[i] >= 0; i = e.from[i] {
		steps = append(steps, e.by[i].String())
	}
	slices.Reverse(steps)
	return steps
}

// stuck returns the way to a state from which the jobs can not end any more,
// whatever happens, or nil when there is none.
func (e *exploration) stuck() []string {
	before := make([][]int32, len(e.states))
	var reached []int32
	ends := make([]bool, len(e.states))
	for i, next := range e.next {
		for _, n := range next {
			before[n] = append(before[n], int32(i))
		}
		if e.states[i].over() {
			ends[i], reached = true, append(reached, int32(i))
		}
	}
	for len(reached) > 0 {
		last := reached[len(reached)-1]
		reached = reached[:len(reached)-1]
		for _, b := range before[last] {
			if !ends[b] {
				ends[b], reached = true, append(reached, b)
			}
		}
	}
	for i := range ends {
		if !ends[i] {
			return append(e.way(int32(i)), fmt.Sprintf("%+v", e.states[i]))
		}
	}
	return nil
}
