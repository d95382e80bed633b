package schedule

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/kappagraph/kappa/work"
)

func TestMaintenanceConditions(t *testing.T) {
	for name, c := range map[string]struct{ yes, no []work.MaintenanceFigures }{
		"types_unsorted":     {[]work.MaintenanceFigures{{UnsortedTypes: 1}}, []work.MaintenanceFigures{{Types: 99}}},
		"types_unembedded":   {[]work.MaintenanceFigures{{UnembeddedTypes: 1}}, []work.MaintenanceFigures{{}}},
		"vocabulary_large":   {[]work.MaintenanceFigures{{Types: 50, CustomTypes: 11}}, []work.MaintenanceFigures{{Types: 49, CustomTypes: 40}, {Types: 50, CustomTypes: 10}}},
		"vocabulary_changed": {[]work.MaintenanceFigures{{UnmeasuredTypes: 10}}, []work.MaintenanceFigures{{UnmeasuredTypes: 9}}},
		"concepts_changed":   {[]work.MaintenanceFigures{{Concepts: 5, Unprojected: 5}}, []work.MaintenanceFigures{{Concepts: 5, Unprojected: 4}, {Concepts: 4, Unprojected: 9}}},
		"ontologies_changed": {[]work.MaintenanceFigures{{Ontologies: 1, Unannealed: 5}}, []work.MaintenanceFigures{{Unannealed: 9}, {Ontologies: 1, Unannealed: 4}, {Ontologies: 1, Unannealed: 5, Reading: 1}}},
		"sources_unembedded": {[]work.MaintenanceFigures{{Unembedded: 1}}, []work.MaintenanceFigures{{}}},
	} {
		ask := func(f work.MaintenanceFigures) bool {
			ok, reason, err := MaintenanceConditions(func(context.Context) (work.MaintenanceFigures, error) { return f, nil })[name](t.Context(), work.Schedule{})
			if err != nil || reason == "" {
				t.Errorf("%s: %q, %v", name, reason, err)
			}
			return ok
		}
		for _, f := range c.yes {
			if !ask(f) {
				t.Errorf("%s does not hold with %+v", name, f)
			}
		}
		for _, f := range c.no {
			if ask(f) {
				t.Errorf("%s holds with %+v", name, f)
			}
		}
	}
	away := errors.New("away")
	for name, condition := range MaintenanceConditions(func(context.Context) (work.MaintenanceFigures, error) {
		return work.MaintenanceFigures{UnsortedTypes: 1}, away
	}) {
		if ok, _, err := condition(t.Context(), work.Schedule{}); ok || !errors.Is(err, away) {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
	}
}

// TestMaintenanceSchedules: every schedule that a server makes names a condition that it
// knows, and a time that comes.
func TestMaintenanceSchedules(t *testing.T) {
	conditions := AllConditions(MaintenanceConditions(nil), PassageConditions(nil))
	var types []string
	for _, n := range MaintenanceSchedules() {
		if n.Condition != "" && conditions[n.Condition] == nil {
			t.Errorf("%s has the unknown condition %s", n.Name, n.Condition)
		}
		if err := n.Schedule().Validate(); err != nil {
			t.Error(err)
		}
		types = append(types, n.JobType)
	}
	slices.Sort(types)
	if len(slices.Compact(types)) != len(MaintenanceSchedules()) {
		t.Errorf("two schedules have one job type: %v", types)
	}
}
