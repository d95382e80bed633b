package vocabulary

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

func (m *memory) VocabularyWords(context.Context, string) ([]vocabulary.TypeWord, error) {
	var list []vocabulary.TypeWord
	for i, t := range m.types {
		if slices.Contains(m.gone, t.Name) {
			continue
		}
		w := vocabulary.TypeWord{ID: t.ID, RelationshipType: vocabulary.RelationshipType{Name: t.Name, Category: vocabulary.CategoryGenerated}, Embedding: t.Embedding, Edges: i}
		if category, builtin := map[string]string{"SUPPORTS": "evidential", "CAUSES": "causation", "PART_OF": "composition"}[t.Name]; builtin {
			w.Category, w.Builtin = category, true
		}
		list = append(list, w)
	}
	return list, nil
}

func (m *memory) StoreCategories(_ context.Context, words []vocabulary.TypeWord) error {
	for _, w := range words {
		m.sorted = append(m.sorted, w.Name+" "+w.Category)
	}
	return nil
}

func (m *memory) MergeTypes(_ context.Context, n vocabulary.NewMerge, _ *work.Claim, next func(int) work.Checkpoint) (vocabulary.Merge, error) {
	if n.Source == m.taken {
		return vocabulary.Merge{}, kappa.NewError(kappa.CodeConflict, n.Source+" was merged already")
	}
	m.gone = append(m.gone, n.Source)
	m.merged = append(m.merged, n.Source+" "+n.Target)
	m.checkpoints = append(m.checkpoints, next(len(m.merged)))
	return vocabulary.Merge{ID: len(m.merged)}, nil
}

func (m *memory) MergesMade(_ context.Context, ids []int) ([]curation.ExecutedMerge, error) {
	var list []curation.ExecutedMerge
	for _, id := range ids {
		source, target, _ := strings.Cut(m.merged[id-1], " ")
		list = append(list, curation.ExecutedMerge{MergeID: id, Source: source, Target: target, Edges: 10 * id})
	}
	return list, nil
}

func (m *memory) UnusedTypes(context.Context) ([]string, error) { return m.unused, nil }

func (m *memory) PruneTypes(_ context.Context, _ *work.Claim, next func([]string) work.Checkpoint) ([]string, error) {
	names := m.unused
	m.gone, m.unused = append(m.gone, names...), nil
	m.checkpoints = append(m.checkpoints, next(names))
	return names, nil
}

func (m *memory) AddReviews(_ context.Context, list []vocabulary.Review) error {
	m.proposed = list
	return nil
}

func (m *memory) Reviews(context.Context, string) ([]vocabulary.Review, error) {
	return m.refused, nil
}

func (m *memory) VocabularySettings(context.Context) (vocabulary.Settings, error) {
	return vocabulary.Settings{Min: 1, Max: 9, Emergency: 20, Profile: "linear", AutoThreshold: 0.9, ReviewThreshold: 0.75}, nil
}

// curated returns a vocabulary whose types are at angles, in degrees of a circle.
func curated(types map[string]models.Embedding) (*Vocabulary, *memory) {
	names := make([]string, 0, len(types))
	for name := range types {
		names = append(names, name)
	}
	slices.Sort(names)
	m := newMemory(names...)
	for i := range m.types {
		m.types[i].Embedding, m.types[i].Text = types[m.types[i].Name], vocabulary.TextOf(m.types[i].Name)
	}
	v, _ := newVocabulary(m)
	return v, m
}

func sample() map[string]models.Embedding {
	return map[string]models.Embedding{
		"SUPPORTS": {1, 0, 0}, "CAUSES": {0, 1, 0}, "PART_OF": {0, 0, 1},
		"HELPS": {0.99, 0.141, 0}, "AIDS": {0.98, 0.199, 0}, "BACKS": {0.8, 0.6, 0}, "CAUSED_BY": {0, 0.999, 0.045},
	}
}

func never(int, int) error { return nil }

func TestConsolidate(t *testing.T) {
	run := func(t *testing.T, change func(o *curation.Consolidation, m *memory)) (curation.Consolidated, *memory) {
		t.Helper()
		v, m := curated(sample())
		o := curation.NewConsolidation()
		o.TargetSize = 1
		change(&o, m)
		done, err := v.Consolidate(t.Context(), nil, o, curation.Consolidated{}, func(curation.Consolidated) work.Checkpoint { return work.Checkpoint{} }, never)
		if err != nil {
			t.Fatal(err)
		}
		return done, m
	}
	t.Run("what is similar enough is merged, what may be is proposed, what says the reverse is not", func(t *testing.T) {
		done, m := run(t, func(*curation.Consolidation, *memory) {})
		if !slices.Equal(m.merged, []string{"AIDS HELPS", "HELPS SUPPORTS"}) {
			t.Errorf("merged %q", m.merged)
		}
		if done.InitialSize != 7 || done.FinalSize != 5 || done.Merged != 2 || done.Rejected != 1 || len(done.Merges) != 2 {
			t.Errorf("got %+v", done)
		}
		if len(m.proposed) != 1 || m.proposed[0].Source != "BACKS" || m.proposed[0].Target != "SUPPORTS" || done.Review != 1 {
			t.Errorf("proposed %+v", m.proposed)
		}
	})
	t.Run("a dry run changes nothing", func(t *testing.T) {
		done, m := run(t, func(o *curation.Consolidation, _ *memory) { o.DryRun = true })
		if len(m.merged)+len(m.proposed) > 0 || len(done.Candidates) == 0 || done.Merged == 0 {
			t.Errorf("got %+v, merged %q", done, m.merged)
		}
	})
	t.Run("the outcome says what was done", func(t *testing.T) {
		done, _ := run(t, func(*curation.Consolidation, *memory) {})
		want := []curation.ExecutedMerge{{MergeID: 1, Source: "AIDS", Target: "HELPS", Edges: 10}, {MergeID: 2, Source: "HELPS", Target: "SUPPORTS", Edges: 20}}
		if !slices.Equal(done.Executed, want) {
			t.Errorf("executed %+v", done.Executed)
		}
		if len(done.Refused) != 1 || done.Refused[0].First != "CAUSED_BY" || done.Refused[0].Second != "CAUSES" || done.Refused[0].Reason == "" {
			t.Errorf("refused %+v", done.Refused)
		}
	})
	t.Run("what nothing uses is removed first", func(t *testing.T) {
		done, m := run(t, func(o *curation.Consolidation, m *memory) {
			o.PruneUnused, o.TargetSize, m.unused = true, 5, []string{"AIDS", "BACKS"}
		})
		if !slices.Equal(m.gone, []string{"AIDS", "BACKS"}) || len(m.merged) > 0 || done.Pruned != 2 || !slices.Equal(done.PrunedTypes, m.gone) || done.InitialSize != 7 || done.FinalSize != 5 {
			t.Errorf("gone %q, merged %q, %+v", m.gone, m.merged, done)
		}
	})
	t.Run("a dry run says what would be removed", func(t *testing.T) {
		done, m := run(t, func(o *curation.Consolidation, m *memory) {
			o.PruneUnused, o.DryRun, m.unused = true, true, []string{"BACKS"}
		})
		if len(m.gone)+len(m.checkpoints) > 0 || done.Pruned != 1 || done.InitialSize-done.FinalSize != done.Pruned+done.Merged || len(done.Executed) != done.Merged {
			t.Errorf("gone %q, %+v", m.gone, done)
		}
	})
	t.Run("a pair that somebody has merged meanwhile is reported, and left", func(t *testing.T) {
		done, m := run(t, func(_ *curation.Consolidation, m *memory) { m.taken = "AIDS" })
		if !slices.Equal(m.merged, []string{"HELPS SUPPORTS"}) || done.Merged != 1 || len(done.Merges) != 1 {
			t.Errorf("merged %q, %+v", m.merged, done)
		}
		if last := done.Executed[len(done.Executed)-1]; last.Source != "AIDS" || last.Error == nil || last.MergeID != 0 {
			t.Errorf("executed %+v", done.Executed)
		}
	})
	t.Run("without auto mode all is for a person", func(t *testing.T) {
		if done, m := run(t, func(o *curation.Consolidation, _ *memory) { o.AutoMode = false }); len(m.merged) > 0 || done.Review < 3 {
			t.Errorf("got %+v, merged %q", done, m.merged)
		}
	})
	t.Run("it ends at its target size", func(t *testing.T) {
		if _, m := run(t, func(o *curation.Consolidation, _ *memory) { o.TargetSize = 6 }); len(m.merged) != 1 {
			t.Errorf("merged %q", m.merged)
		}
	})
	t.Run("what a person refused stays", func(t *testing.T) {
		_, m := run(t, func(_ *curation.Consolidation, m *memory) {
			m.refused = []vocabulary.Review{{Source: "HELPS", Target: "AIDS"}, {Source: "HELPS", Target: "SUPPORTS"}}
		})
		if slices.Contains(m.merged, "AIDS HELPS") || slices.Contains(m.merged, "HELPS SUPPORTS") {
			t.Errorf("merged %q", m.merged)
		}
	})
	t.Run("it ends between two pairs, and goes on with what is left", func(t *testing.T) {
		v, m := curated(sample())
		o := curation.NewConsolidation()
		o.TargetSize = 1
		var state curation.Consolidated
		next := func(c curation.Consolidated) work.Checkpoint { state = c; return work.Checkpoint{} }
		_, err := v.Consolidate(t.Context(), nil, o, curation.Consolidated{}, next, func(done, _ int) error {
			if done == 2 {
				return kappa.ErrCancelled
			}
			return nil
		})
		if !errors.Is(err, kappa.ErrCancelled) || len(m.merged) != 1 {
			t.Fatalf("%v, merged %q", err, m.merged)
		}
		done, err := v.Consolidate(t.Context(), nil, o, state, next, never)
		if err != nil || done.InitialSize != 7 || done.Merged != 2 || len(m.merged) != 2 {
			t.Errorf("%+v, %v, merged %q", done, err, m.merged)
		}
	})
}

func TestRefreshCategories(t *testing.T) {
	v, m := curated(sample())
	done, err := v.RefreshCategories(t.Context(), true, never)
	if err != nil || len(done.Assigned) != 4 || done.Ambiguous != 0 || done.Skipped != 3 || done.Failed != 0 || !slices.Contains(m.sorted, "HELPS evidential") || !slices.Contains(m.sorted, "CAUSED_BY causation") {
		t.Errorf("%+v, %v, sorted %q", done, err, m.sorted)
	}
	v, m = curated(sample())
	if _, err := v.RefreshCategories(t.Context(), true, func(done, _ int) error {
		if done == 2 {
			return kappa.ErrCancelled
		}
		return nil
	}); !errors.Is(err, kappa.ErrCancelled) || len(m.sorted) != 2 {
		t.Errorf("%v after %q", err, m.sorted)
	}
}

func TestEmbedAll(t *testing.T) {
	v, m := curated(sample())
	if n, skipped, err := v.EmbedAll(t.Context(), true, never); n != 0 || skipped != 7 || err != nil {
		t.Errorf("embedded %d of none, %v", n, err)
	}
	m.types[0].Text = "as before"
	if n, skipped, err := v.EmbedAll(t.Context(), true, never); n != 1 || skipped != 6 || err != nil {
		t.Errorf("embedded %d of one, %v", n, err)
	}
	if n, skipped, err := v.EmbedAll(t.Context(), false, never); n != 7 || skipped != 0 || err != nil {
		t.Errorf("embedded %d of all, %v", n, err)
	}
}

func TestReverses(t *testing.T) {
	for pair, want := range map[string]bool{
		"CAUSES CAUSED_BY": true, "CAUSED_BY CAUSES": true, "USED_BY HELD_BY": false, "PRECEDES FOLLOWS": true, "SUPPORTS NOT_SUPPORTS": true,
		"HAS_MEMBER MEMBER_OF": true, "HELPS AIDS": false, "PART_OF KIND_OF": false, "RUNS_WITH RUNS_WITHOUT": true,
	} {
		a, b, _ := strings.Cut(pair, " ")
		if vocabulary.Reverses(a, b) != want {
			t.Errorf("%s: want %v", pair, want)
		}
	}
}

// TestConsolidateWithoutAPair: no pair is no item that is left.
func TestConsolidateWithoutAPair(t *testing.T) {
	v, _ := newVocabulary(newMemory("SUPPORTS", "CONTRADICTS"))
	var last [2]int
	_, err := v.Consolidate(t.Context(), nil, curation.NewConsolidation(), curation.Consolidated{}, func(curation.Consolidated) work.Checkpoint { return work.Checkpoint{} },
		func(done, of int) error { last = [2]int{done, of}; return nil })
	if err != nil || last != [2]int{} {
		t.Errorf("the last that is told is %d of %d, %v", last[0], last[1], err)
	}
}
