package protocol

import "strings"

// Explored is what a search has found.
type Explored struct {
	States int
	Steps  int
	Broken string // the rule that is broken first, "" for none
	Trace  string // the steps that lead there
}

// Explore looks at every state that can be reached. It ends at the first, by the number of steps,
// in which a rule is broken, or from which a job has no way on to its end without faults.
func Explore(flaw Flaw) Explored {
	start := Start()
	before := map[State]Reached{start: {}} // the step that led to a state first, and from where
	back := map[State][]State{}            // from where steps that are no faults lead to it
	var found Explored
	queue, over := []State{start}, []State{}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if s.over() {
			over = append(over, s)
		}
		for _, r := range Next(s, flaw) {
			found.Steps++
			if !r.Step.Fault() {
				back[r.To] = append(back[r.To], s)
			}
			if _, seen := before[r.To]; seen {
				continue
			}
			before[r.To] = Reached{r.Step, s}
			if r.To.fault != none {
				found.States, found.Broken, found.Trace = len(before), r.To.fault.String(), trace(before, start, r.To)
				return found
			}
			queue = append(queue, r.To)
		}
	}
	found.States = len(before)
	for s := range stuck(before, back, over) {
		if path := trace(before, start, s); found.Broken == "" || strings.Count(path, "\n") < strings.Count(found.Trace, "\n") {
			found.Broken, found.Trace = "a job has no way on to its end", path
		}
	}
	return found
}

// over reports whether both jobs are over.
func (s State) over() bool {
	for _, j := range s.Jobs {
		if !j.Status.ended() {
			return false
		}
	}
	return true
}

// stuck returns the states from which no way leads to one of those that are over.
func stuck(all map[State]Reached, back map[State][]State, over []State) map[State]bool {
	left := make(map[State]bool, len(all))
	for s := range all {
		left[s] = true
	}
	for _, s := range over {
		delete(left, s)
	}
	for queue := over; len(queue) > 0; queue = queue[1:] {
		for _, s := range back[queue[0]] {
			if left[s] {
				delete(left, s)
				queue = append(queue, s)
			}
		}
	}
	return left
}

// trace tells the steps that lead to a state, a line each.
func trace(before map[State]Reached, start, to State) string {
	var steps []string
	for s := to; s != start; s = before[s].To {
		steps = append([]string{before[s].Step.String()}, steps...)
	}
	return strings.Join(steps, "\n")
}
