package schedule

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/kappagraph/kappa"
)

func TestMaintenanceConditions(t *testing.T) {
	for name, c := range map[string]struct{ yes, no []kappa.MaintenanceFigures }{
		"types_unsorted":     {[]kappa.MaintenanceFigures{{UnsortedTypes: 1}}, []kappa.MaintenanceFigures{{Types: 99}}},
		"types_unembedded":   {[]kappa.MaintenanceFigures{{UnembeddedTypes: 1}}, []kappa.MaintenanceFigures{{}}},
		"vocabulary_large":   {[]kappa.MaintenanceFigures{{Types: 50, CustomTypes: 11}}, []kappa.MaintenanceFigures{{Types: 49, CustomTypes: 40}, {Types: 50, CustomTypes: 10}}},
		"vocabulary_changed": {[]kappa.MaintenanceFigures{{UnmeasuredTypes: 10}}, []kappa.MaintenanceFigures{{UnmeasuredTypes: 9}}},
		"concepts_changed":   {[]kappa.MaintenanceFigures{{Concepts: 5, Unprojected: 5}}, []kappa.MaintenanceFigures{{Concepts: 5, Unprojected: 4}, {Concepts: 4, Unprojected: 9}}},
		"ontologies_changed": {[]kappa.MaintenanceFigures{{Ontologies: 1, Unannealed: 5}}, []kappa.MaintenanceFigures{{Unannealed: 9}, {Ontologies: 1, Unannealed: 4}, {Ontologies: 1, Unannealed: 5, Reading: 1}}},
		"sources_unembedded": {[]kappa.MaintenanceFigures{{Unembedded: 1}}, []kappa.MaintenanceFigures{{}}},
	} {
		ask := func(f kappa.MaintenanceFigures) bool {
			ok, reason, err := MaintenanceConditions(func(context.Context) (kappa.MaintenanceFigures, error) { return f, nil })[name](t.Context(), kappa.Schedule{})
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
	for name, condition := range MaintenanceConditions(func(context.Context) (kappa.MaintenanceFigures, error) {
		return kappa.MaintenanceFigures{UnsortedTypes: 1}, away
	}) {
		if ok, _, err := condition(t.Context(), kappa.Schedule{}); ok || !errors.Is(err, away) {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
	}
}

// TestMaintenanceSchedules: every schedule that a server makes names a condition that it
// knows, and a time that comes.
func TestMaintenanceSchedules(t *testing.T) {
	conditions := MaintenanceConditions(nil)
	var types []string
	for _, n := range kappa.MaintenanceSchedules() {
		if n.Condition != "" && conditions[n.Condition] == nil {
			t.Errorf("%s has the unknown condition %s", n.Name, n.Condition)
		}
		if err := n.Schedule().Validate(); err != nil {
			t.Error(err)
		}
		types = append(types, n.JobType)
	}
	slices.Sort(types)
	if len(slices.Compact(types)) != len(kappa.MaintenanceSchedules()) {
		t.Errorf("two schedules have one job type: %v", types)
	}
}
