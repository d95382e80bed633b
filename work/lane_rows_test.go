package work_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// laneRows are two lanes that are built in, and two that are not.
func laneRows() []work.Lane {
	return []work.Lane{
		{Name: "home", JobTypes: []string{"a", "b"}, MaxSlots: 1, Enabled: true},
		{Name: "off", JobTypes: []string{"c"}, MaxSlots: 1},
		{Name: "own", JobTypes: []string{"c", "d", "e"}, MaxSlots: 1, Enabled: true},
		{Name: "second", JobTypes: []string{"e"}, MaxSlots: 1, Enabled: true},
	}
}

// TestTakeTypes moves job types: each is in one lane afterwards, whatever was before.
func TestTakeTypes(t *testing.T) {
	for name, c := range map[string]struct {
		to      string
		types   []string
		changed map[string][]string
		moved   map[string][]string
	}{
		"from one lane":            {"home", []string{"d"}, map[string][]string{"home": {"a", "b", "d"}, "own": {"c", "e"}}, map[string][]string{"d": {"own"}}},
		"from two lanes":           {"home", []string{"e"}, map[string][]string{"home": {"a", "b", "e"}, "own": {"c", "d"}, "second": {}}, map[string][]string{"e": {"own", "second"}}},
		"out of the other":         {"own", []string{"e"}, map[string][]string{"second": {}}, map[string][]string{"e": {"second"}}},
		"where it is":              {"home", []string{"a"}, map[string][]string{}, map[string][]string{}},
		"from none":                {"home", []string{"new"}, map[string][]string{"home": {"a", "b", "new"}}, map[string][]string{"new": {}}},
		"twice the same":           {"own", []string{"a", "a"}, map[string][]string{"home": {"b"}, "own": {"c", "d", "e", "a"}}, map[string][]string{"a": {"home"}}},
		"several, one that is not": {"off", []string{"c", "a"}, map[string][]string{"home": {"b"}, "off": {"c", "a"}, "own": {"d", "e"}}, map[string][]string{"c": {"own"}, "a": {"home"}}},
	} {
		t.Run(name, func(t *testing.T) {
			lanes := laneRows()
			changed, moved := work.TakeTypes(lanes, c.to, c.types)
			got := map[string][]string{}
			for _, l := range changed {
				got[l.Name] = l.JobTypes
			}
			if !maps.EqualFunc(got, c.changed, slices.Equal) || !maps.EqualFunc(moved, c.moved, slices.Equal) {
				t.Errorf("changed %v, moved %v; want %v, %v", got, moved, c.changed, c.moved)
			}
			if !reflect.DeepEqual(lanes, laneRows()) {
				t.Errorf("it has changed what it was given: %v", lanes)
			}
		})
	}
}

// TestLaneDeletion deletes lanes while jobs wait, and while none does.
func TestLaneDeletion(t *testing.T) {
	homes := map[string]string{"c": "home", "d": "home"}
	for name, c := range map[string]struct {
		deletion  work.LaneDeletion
		waiting   map[string]int
		moved     map[string]string
		unclaimed []string
		refused   string
	}{
		"types go home, but those of other lanes": {deletion: work.LaneDeletion{Name: "own"}, moved: map[string]string{"d": "home"}},
		"types go where they are to":              {deletion: work.LaneDeletion{Name: "own", MoveTo: "off"}, waiting: map[string]int{"d": 3}, moved: map[string]string{"c": "off", "d": "off", "e": "off"}},
		"jobs wait that another lane claims":      {deletion: work.LaneDeletion{Name: "own"}, waiting: map[string]int{"e": 3}, moved: map[string]string{"d": "home"}},
		"jobs wait that no other lane claims":     {deletion: work.LaneDeletion{Name: "own"}, waiting: map[string]int{"a": 1, "c": 2, "d": 3, "e": 4}, refused: "(2 of c, 3 of d)"},
		"a type without a home":                   {deletion: work.LaneDeletion{Name: "home"}, unclaimed: []string{"a", "b"}},
		"an unknown lane":                         {deletion: work.LaneDeletion{Name: "none"}, refused: "Lane not found: none"},
		"to an unknown lane":                      {deletion: work.LaneDeletion{Name: "own", MoveTo: "none"}, refused: `move_to: must be another lane that there is, got "none"`},
		"to itself":                               {deletion: work.LaneDeletion{Name: "own", MoveTo: "own"}, refused: `move_to: must be another lane that there is, got "own"`},
	} {
		t.Run(name, func(t *testing.T) {
			c.deletion.Home = homes
			got, err := c.deletion.Deleted(laneRows(), c.waiting)
			if c.refused != "" {
				if err == nil || !strings.Contains(kappa.ErrorMessage(err), c.refused) {
					t.Errorf("got %v, want it refused: %s", err, c.refused)
				}
				return
			}
			if err != nil || got.Lane.Name != c.deletion.Name || !maps.Equal(got.Moved, c.moved) || !slices.Equal(got.Unclaimed, c.unclaimed) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

// TestNewLane says what is wrong with lanes and job types.
func TestNewLane(t *testing.T) {
	n := func(v int) *int { return &v }
	if l := (work.NewLane{Name: "x", Settings: work.LaneUpdate{MaxSlots: n(0)}}).Lane(); l.MaxSlots != 0 || l.PollIntervalMS != work.DefaultPollIntervalMS || l.StaleTimeoutMinutes != work.DefaultStaleTimeoutMinutes || !l.Enabled {
		t.Errorf("a lane by default is %+v", l)
	}
	for want, err := range map[string]error{
		"":                      work.NewLane{Name: "a1_b"}.Validate(16),
		"name: must be a lower": work.NewLane{Name: "A b"}.Validate(16),
		"max_slots: must be at most 16, got 17; stale": work.NewLane{Name: "a", Settings: work.LaneUpdate{MaxSlots: n(17), StaleTimeoutMinutes: n(1)}}.Validate(16),
		"job_types: each must not be empty":            work.NewLane{Name: "a", JobTypes: []string{"b", ""}}.Validate(16),
		"job_types: must have at most 100":             work.TypeMove{JobTypes: make([]string, 101)}.Validate(),
		"job_types: must name at least":                work.TypeMove{}.Validate(),
		"(a, b, c, d, e, known), got \"x\"":            work.CheckTypes([]string{"known", "a", "x"}, []string{"known"}, laneRows()),
	} {
		if want == "" && err != nil || want != "" && (kappa.ErrorCode(err) != kappa.CodeInvalid || !strings.Contains(kappa.ErrorMessage(err), want)) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
