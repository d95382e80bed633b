package work

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// MaxLanes is how many lanes there may be: each one polls.
const MaxLanes = 64

const maxLaneTypes = 100 // that a request names

// The settings of a new lane that names none.
const (
	DefaultLaneSlots           = 1
	DefaultPollIntervalMS      = 2000
	DefaultStaleTimeoutMinutes = 30
)

// NewLane is what it takes to make a lane. Its job types are taken out of the lanes that
// have them.
type NewLane struct {
	Name     string
	JobTypes []string
	Settings LaneUpdate // nil is the default of a new lane, which is enabled
	// Known are the job types that may be moved, besides those that some lane has.
	Known []string
}

// Lane returns the lane without its job types.
func (n NewLane) Lane() Lane {
	or := func(v *int, def int) int {
		if v == nil {
			return def
		}
		return *v
	}
	return Lane{
		Name: n.Name, JobTypes: []string{}, MaxSlots: or(n.Settings.MaxSlots, DefaultLaneSlots), PollIntervalMS: or(n.Settings.PollIntervalMS, DefaultPollIntervalMS),
		StaleTimeoutMinutes: or(n.Settings.StaleTimeoutMinutes, DefaultStaleTimeoutMinutes), Enabled: n.Settings.Enabled == nil || *n.Settings.Enabled,
	}
}

// Validate reports every rule that n breaks; ceiling is the highest max_slots.
func (n NewLane) Validate(ceiling int) error {
	var r check.Rules
	r.Add("body", "name", check.Word(n.Name))
	r.Add("body", "job_types", checkLaneTypes(n.JobTypes))
	n.Settings.rules(&r, ceiling)
	return r.Err()
}

// TypeMove puts job types into a lane, and takes them out of all others.
type TypeMove struct {
	Lane     string
	JobTypes []string
	Known    []string // as in NewLane
}

// Validate reports every rule that m breaks.
func (m TypeMove) Validate() error {
	var r check.Rules
	if len(m.JobTypes) == 0 {
		r.Add("body", "job_types", "must name at least one job type")
	}
	r.Add("body", "job_types", checkLaneTypes(m.JobTypes))
	return r.Err()
}

func checkLaneTypes(types []string) string {
	if len(types) > maxLaneTypes {
		return fmt.Sprintf("must have at most %d job types, got %d", maxLaneTypes, len(types))
	}
	for _, t := range types {
		if rule := check.Name(t, check.MaxJobType); rule != "" {
			return "each " + rule
		}
	}
	return ""
}

// LaneMoved is a lane that was given job types.
type LaneMoved struct {
	Lane Lane `json:"lane"`
	// Moved are the lanes that each of them was in, by type; none for one that was in no lane.
	// A type that was in the lane alone before has not moved.
	Moved map[string][]string `json:"moved"`
}

// LaneDeletion deletes a lane.
type LaneDeletion struct {
	Name string
	// MoveTo, unless "", is the lane that gets its job types. Otherwise each of them goes to
	// its Home, if no other lane has it, and the lane is not deleted while jobs wait that it
	// alone claims.
	MoveTo string
	Home   map[string]string // the lanes that types are put into when they are in none, by type
}

// LaneDeleted is a lane that was deleted.
type LaneDeleted struct {
	Lane Lane `json:"lane"`
	// Moved is the lane that each of its job types is in now, by type.
	Moved map[string]string `json:"moved"`
	// Unclaimed are those of its job types that are in no lane any more.
	Unclaimed []string `json:"unclaimed_types"`
}

// Deleted returns what becomes of lanes when d is done. It returns CodeNotFound for a lane that
// is not among them, and CodeConflict while jobs wait, of which there are so many by type, that
// the lane alone claims and that d does not move.
func (d LaneDeletion) Deleted(lanes []Lane, waiting map[string]int) (LaneDeleted, error) {
	at := slices.IndexFunc(lanes, func(l Lane) bool { return l.Name == d.Name })
	if at < 0 {
		return LaneDeleted{}, kappa.NewError(kappa.CodeNotFound, "Lane not found: "+d.Name)
	}
	if d.MoveTo != "" && !slices.ContainsFunc(lanes, func(l Lane) bool { return l.Name == d.MoveTo && l.Name != d.Name }) {
		return LaneDeleted{}, kappa.Invalid(kappa.FieldError{In: "query", Name: "move_to", Rule: "must be another lane that there is, got " + check.Quote(d.MoveTo)})
	}
	deleted := LaneDeleted{Lane: lanes[at], Moved: map[string]string{}, Unclaimed: []string{}}
	var stranded []string
	for _, t := range deleted.Lane.JobTypes {
		inOther := func(claims bool) bool {
			return slices.ContainsFunc(lanes, func(l Lane) bool {
				return l.Name != d.Name && slices.Contains(l.JobTypes, t) && (l.Claims() || !claims)
			})
		}
		if n := waiting[t]; n > 0 && d.MoveTo == "" && !inOther(true) {
			stranded = append(stranded, fmt.Sprintf("%d of %s", n, t))
		}
		home := d.Home[t]
		switch {
		case d.MoveTo != "":
			deleted.Moved[t] = d.MoveTo
		case inOther(false):
		case home != d.Name && slices.ContainsFunc(lanes, func(l Lane) bool { return l.Name == home }):
			deleted.Moved[t] = home
		default:
			deleted.Unclaimed = append(deleted.Unclaimed, t)
		}
	}
	if stranded != nil {
		return LaneDeleted{}, kappa.NewError(kappa.CodeConflict, "Jobs wait that only the lane "+d.Name+" claims ("+strings.Join(stranded, ", ")+"); say with move_to which lane gets its job types")
	}
	return deleted, nil
}

// TakeTypes puts job types into the lane to, which is among lanes, and takes them out of the
// others. It returns the lanes that have changed, and where each type was that has moved; lanes
// stay as they are.
func TakeTypes(lanes []Lane, to string, types []string) (changed []Lane, moved map[string][]string) {
	moved = map[string][]string{}
	for _, t := range types {
		in := []string{}
		for _, l := range lanes {
			if slices.Contains(l.JobTypes, t) {
				in = append(in, l.Name)
			}
		}
		if len(in) != 1 || in[0] != to {
			moved[t] = slices.DeleteFunc(in, func(lane string) bool { return lane == to })
		}
	}
	for _, l := range lanes {
		next := slices.Clone(l.JobTypes)
		for _, t := range types {
			switch has := slices.Contains(next, t); {
			case l.Name == to && !has:
				next = append(next, t)
			case l.Name != to && has:
				next = slices.DeleteFunc(next, func(other string) bool { return other == t })
			}
		}
		if !slices.Equal(next, l.JobTypes) {
			l.JobTypes = next
			changed = append(changed, l)
		}
	}
	return changed, moved
}

// CheckTypes returns a kappa.CodeInvalid Error unless each of types is known or in a lane.
func CheckTypes(types, known []string, lanes []Lane) error {
	for _, l := range lanes {
		known = append(slices.Clip(known), l.JobTypes...)
	}
	for _, t := range types {
		if !slices.Contains(known, t) {
			slices.Sort(known)
			return kappa.Invalid(kappa.FieldError{In: "body", Name: "job_types", Rule: "must be job types that servers work on (" + strings.Join(slices.Compact(known), ", ") + "), got " + check.Quote(t)})
		}
	}
	return nil
}
