package schedule

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// When maintenance is worth a run.
const (
	leastTypes          = 50  // of a vocabulary that is large
	leastCustom         = 0.2 // the share of its types that are not built in
	leastVocabularyWork = 10  // types that were added
	leastConcepts       = 5
	leastEpochs         = 5 // changes of the graph
)

// Figures says how much there is to be done.
type Figures func(ctx context.Context) (work.MaintenanceFigures, error)

// MaintenanceConditions returns the conditions under which maintenance has something to
// do: types_unsorted, types_unembedded, vocabulary_large, vocabulary_changed,
// concepts_changed, sources_unembedded and ontologies_changed.
func MaintenanceConditions(figures Figures) map[string]Condition {
	holds := func(test func(f work.MaintenanceFigures) (bool, string)) Condition {
		return func(ctx context.Context, _ work.Schedule) (bool, string, error) {
			f, err := figures(ctx)
			if err != nil {
				return false, "", err
			}
			ok, reason := test(f)
			return ok, reason, nil
		}
	}
	return map[string]Condition{
		"types_unsorted": holds(func(f work.MaintenanceFigures) (bool, string) {
			return f.UnsortedTypes > 0, "every relationship type has a category"
		}),
		"types_unembedded": holds(func(f work.MaintenanceFigures) (bool, string) {
			return f.UnembeddedTypes > 0, "every relationship type has an embedding"
		}),
		"vocabulary_large": holds(func(f work.MaintenanceFigures) (bool, string) {
			return f.Types >= leastTypes && float64(f.CustomTypes) > leastCustom*float64(f.Types),
				fmt.Sprintf("%d relationship types of which %d are not built in; %d and more than %.0f %% make it worth while", f.Types, f.CustomTypes, leastTypes, 100*leastCustom)
		}),
		"vocabulary_changed": holds(func(f work.MaintenanceFigures) (bool, string) {
			return f.UnmeasuredTypes >= leastVocabularyWork, fmt.Sprintf("%d relationship types were added since the last measurement; %d make it worth while", f.UnmeasuredTypes, leastVocabularyWork)
		}),
		"concepts_changed": holds(func(f work.MaintenanceFigures) (bool, string) {
			return f.Concepts >= leastConcepts && f.Unprojected >= leastConcepts,
				fmt.Sprintf("%d concepts were added since the projections were made that somebody has looked at within a week; %d make it worth while", f.Unprojected, leastConcepts)
		}),
		"sources_unembedded": holds(func(f work.MaintenanceFigures) (bool, string) {
			return f.Unembedded > 0, "every source chunk has an embedding"
		}),
		"ontologies_changed": holds(func(f work.MaintenanceFigures) (bool, string) {
			if f.Reading > 0 {
				return false, fmt.Sprintf("ingestions wait or run (%d); the ontologies are annealed when they are done", f.Reading)
			}
			return f.Ontologies > 0 && f.Unannealed >= leastEpochs,
				fmt.Sprintf("%d ontologies, and %d changes of the graph since the last annealing; %d make it worth while", f.Ontologies, f.Unannealed, leastEpochs)
		}),
	}
}

// AllConditions returns several sets of conditions as one.
func AllConditions(sets ...map[string]Condition) map[string]Condition {
	all := map[string]Condition{}
	for _, set := range sets {
		maps.Copy(all, set)
	}
	return all
}

// seedStore remembers which schedules were made.
type seedStore interface {
	ScheduleSeeds(ctx context.Context) ([]string, error)
	AddScheduleSeed(ctx context.Context, name string) error
}

// Seed adds the schedules that were never added. One that an operator has changed or
// removed stays so, and one of the same name is theirs.
func (s *Schedules) Seed(ctx context.Context, store seedStore, list []work.NewSchedule) error {
	known, err := store.ScheduleSeeds(ctx)
	if err != nil {
		return err
	}
	for _, n := range list {
		if slices.Contains(known, n.Name) {
			continue
		}
		if _, err := s.AddSchedule(ctx, n); err != nil && kappa.ErrorCode(err) != kappa.CodeConflict {
			return fmt.Errorf("make the schedule %s: %w", n.Name, err)
		}
		if err := store.AddScheduleSeed(ctx, n.Name); err != nil {
			return err
		}
	}
	return nil
}
