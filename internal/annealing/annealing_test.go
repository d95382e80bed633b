package annealing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/work"
)

// world is a store of a few ontologies.
type world struct {
	list     []curation.Measures
	near     []curation.Affinity
	degrees  map[int][]curation.ConceptDegree
	about    int
	stored   []string
	finished []curation.Proposal
	edges    int
}

func (w *world) AnnealingOntologies(_ context.Context, name string) ([]curation.Measures, int64, error) {
	if name == "" {
		return w.list, 100, nil
	}
	at := slices.IndexFunc(w.list, func(o curation.Measures) bool { return o.Name == name })
	if at < 0 {
		return nil, 0, kappa.NewError(kappa.CodeNotFound, "Ontology '"+name+"' not found")
	}
	return w.list[at : at+1], 100, nil
}

func (w *world) MeasureOntology(_ context.Context, o curation.Measures, _ string, _ int) (curation.Measures, []models.Embedding, error) {
	return o, nil, nil
}

func (w *world) Affinities(_ context.Context, id int) (list []curation.Affinity, err error) {
	for _, n := range w.near {
		if id == 0 || n.Ontology == id {
			list = append(list, n)
		}
	}
	return list, nil
}

func (w *world) Degrees(_ context.Context, id, most int) ([]curation.ConceptDegree, error) {
	return w.degrees[id][:min(most, len(w.degrees[id]))], nil
}

func (w *world) DocumentsAbout(context.Context, int, string) (int, error) { return w.about, nil }

func (w *world) StoreScores(_ context.Context, o curation.Scores) error {
	w.stored = append(w.stored, o.Name)
	return nil
}

func (w *world) Scores(context.Context, string) ([]curation.Scores, error) { return nil, nil }

func (w *world) OntologyEdgesOf(_ context.Context, id int) ([]curation.Edge, error) {
	return []curation.Edge{{Shared: id}}, nil
}

func (w *world) GraphEpoch(context.Context) (int64, error) { return 100, nil }

func (w *world) FinishAnnealing(_ context.Context, _ work.Claim, edges []curation.NewEdge, found curation.Annealed, next func(curation.Annealed) work.Checkpoint) (curation.Annealed, error) {
	w.finished, w.edges = found.Proposals, len(edges)
	found.Generated = len(found.Proposals)
	next(found)
	return found, nil
}

// newWorld has a large ontology that holds all of a small one, a poor one that shares a
// little with it, and a broad one with a concept that could stand by itself.
func newWorld() *world {
	of := func(id int, name string, files, concepts, evidence int) curation.Measures {
		return curation.Measures{ID: id, Name: name, Lifecycle: ontologies.LifecycleActive, Files: files, Sources: files, Concepts: concepts, Evidence: evidence, Internal: evidence}
	}
	near := func(id, other int, name string, shared, concepts int) curation.Affinity {
		return curation.Affinity{Ontology: id, Other: other, OtherName: name, Shared: shared, Concepts: concepts, OfOther: 500, Similarity: float64(shared) / float64(concepts)}
	}
	return &world{
		list:    []curation.Measures{of(1, "large", 50, 500, 2000), of(2, "small", 2, 20, 40), of(3, "poor", 1, 4, 4), of(4, "broad", 20, 300, 900)},
		near:    []curation.Affinity{near(2, 1, "large", 19, 20), near(3, 1, "large", 1, 4)},
		degrees: map[int][]curation.ConceptDegree{4: {{ID: 9, ConceptID: "c_9", Label: "Pumps", Degree: 60, Centrality: 0.2}}},
		about:   5,
	}
}

func always(int, int) error { return nil }

func nothing(curation.Annealed) work.Checkpoint { return work.Checkpoint{} }

func kinds(list []curation.Proposal) (all []string) {
	for _, p := range list {
		all = append(all, p.Kind+" "+p.Ontology)
	}
	return all
}

func TestCycle(t *testing.T) {
	t.Parallel()
	t.Run("proposes each ontology once, what others hold first", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		found, err := New(w, func() string { return "m" }).Cycle(t.Context(), work.Claim{JobID: "job_1"}, curation.NewAnnealing(), nothing, always)
		if err != nil || found.Merges != 1 || found.Promotions != 1 || found.Scores != 4 || found.Epoch != 100 {
			t.Errorf("%+v, err %v", found, err)
		}
		// poor would be joined to large as well, which is part of a proposal already.
		if got := kinds(w.finished); !slices.Equal(got, []string{"merge small", "promotion broad"}) || w.finished[0].MadeBy != "job_1" {
			t.Errorf("proposed %v", got)
		}
		if len(w.stored) != 4 || w.edges != 2 {
			t.Errorf("scored %v, %d edges", w.stored, w.edges)
		}
	})
	t.Run("a dry run keeps nothing", func(t *testing.T) {
		t.Parallel()
		w, o := newWorld(), curation.NewAnnealing()
		o.DryRun = true
		found, err := New(w, func() string { return "m" }).Cycle(t.Context(), work.Claim{}, o, nothing, always)
		if err != nil || found.Generated != 0 || len(found.Proposals) != 2 || len(w.stored) > 0 || w.finished != nil {
			t.Errorf("%+v, err %v; stored %v and %v", found, err, w.stored, w.finished)
		}
	})
	t.Run("the settings say what is a candidate", func(t *testing.T) {
		t.Parallel()
		candidates := func(change func(o *curation.Annealing)) string {
			w, o := newWorld(), curation.NewAnnealing()
			o.DryRun = true
			change(&o)
			found, err := New(w, func() string { return "m" }).Cycle(t.Context(), work.Claim{}, o, nothing, always)
			if err != nil || found.Demotions != len(found.Candidates.Demotions) || found.Promotions != len(found.Candidates.Promotions) || found.Merges != len(found.Candidates.Merges) {
				t.Errorf("%+v, err %v", found, err)
			}
			text := ""
			for _, c := range found.Candidates.Demotions {
				text += fmt.Sprintf("%s may go to %v; ", c.Ontology, c.Target != nil)
			}
			for _, c := range found.Candidates.Promotions {
				text += fmt.Sprintf("%s of %s has %d; ", c.Concept, c.Ontology, c.Degree)
			}
			return text + fmt.Sprint(len(found.Proposals))
		}
		for want, change := range map[string]func(o *curation.Annealing){
			"poor may go to true; Pumps of broad has 60; 2":                                               func(*curation.Annealing) {},
			"large may go to false; poor may go to true; broad may go to false; Pumps of broad has 60; 2": func(o *curation.Annealing) { o.DemotionThreshold = 1 },
			"poor may go to true; 1":                        func(o *curation.Annealing) { o.PromotionMinDegree = 61 },
			"poor may go to true; Pumps of broad has 60; 0": func(o *curation.Annealing) { o.MaxProposals = 0 },
		} {
			if got := candidates(change); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
	t.Run("what is pinned or frozen is left alone", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		w.list[1].Lifecycle, w.list[3].Lifecycle = ontologies.LifecyclePinned, ontologies.LifecycleFrozen
		if _, err := New(w, func() string { return "m" }).Cycle(t.Context(), work.Claim{}, curation.NewAnnealing(), nothing, always); err != nil || slices.ContainsFunc(kinds(w.finished), func(k string) bool { return k != "demotion poor" }) {
			t.Errorf("proposed %v, err %v", kinds(w.finished), err)
		}
	})
	t.Run("no more than was asked for", func(t *testing.T) {
		t.Parallel()
		w, o := newWorld(), curation.NewAnnealing()
		o.MaxProposals = 1
		if _, err := New(w, func() string { return "m" }).Cycle(t.Context(), work.Claim{}, o, nothing, always); err != nil || len(w.finished) != 1 {
			t.Errorf("proposed %v, err %v", kinds(w.finished), err)
		}
	})
	t.Run("a stop keeps the scores until then", func(t *testing.T) {
		t.Parallel()
		w, errStop := newWorld(), errors.New("stop")
		_, err := New(w, func() string { return "m" }).Cycle(t.Context(), work.Claim{}, curation.NewAnnealing(), nothing, func(done, _ int) error {
			if done == 2 {
				return errStop
			}
			return nil
		})
		if !errors.Is(err, errStop) || len(w.stored) != 2 || w.finished != nil {
			t.Errorf("err %v, stored %v and %v", err, w.stored, w.finished)
		}
	})
}

func TestOfOneOntology(t *testing.T) {
	t.Parallel()
	a := New(newWorld(), func() string { return "m" })
	if list, err := a.Score(t.Context(), "small", always); err != nil || len(list) != 1 || list[0].Name != "small" || list[0].WeightedExposure == 0 {
		t.Errorf("scores %+v, err %v", list, err)
	}
	if list, err := a.Candidates(t.Context(), "broad", 5); err != nil || len(list) != 1 {
		t.Errorf("candidates %+v, err %v", list, err)
	}
	if list, err := a.Affinity(t.Context(), "small", 0); err != nil || len(list) != 0 {
		t.Errorf("affinity %+v, err %v", list, err)
	}
	if list, err := a.Edges(t.Context(), "poor"); err != nil || len(list) != 1 || list[0].Shared != 3 {
		t.Errorf("edges %+v, err %v", list, err)
	}
	_, scores := a.Scores(t.Context(), "nowhere")
	_, edges := a.Edges(t.Context(), "nowhere")
	_, candidates := a.Candidates(t.Context(), "nowhere", 1)
	for _, err := range []error{scores, edges, candidates} {
		if kappa.ErrorCode(err) != kappa.CodeNotFound {
			t.Errorf("an unknown ontology: %v", err)
		}
	}
}
