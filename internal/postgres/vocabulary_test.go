package postgres

import (
	"math"
	"slices"
	"testing"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// projections of the fixture's types but for one, which is not embedded yet.
var projections = map[string]float64{"CAUSES": 0.5, "PART_OF": -0.75}

// newMeasured is a random graph whose types are embedded.
func newMeasured(t *testing.T, concepts, edges int) (*randomGraph, VocabularyStore) {
	t.Helper()
	g := newRandomGraph(t, concepts, edges)
	store := VocabularyStore(g.store)
	types, err := store.TypeVectors(t.Context(), fixtureModel)
	if err != nil {
		t.Fatal(err)
	}
	types = slices.DeleteFunc(types, func(v vocabulary.TypeVector) bool { return projections[v.Name] == 0 })
	for i, v := range types {
		p := projections[v.Name]
		types[i].Text, types[i].Embedding, types[i].Projection = "text of "+v.Name, models.Embedding{1, float32(p)}, &p
	}
	if err := store.StoreTypeVectors(t.Context(), fixtureModel, types); err != nil {
		t.Fatal(err)
	}
	return g, store
}

// grounding is that of the contract, edge by edge.
func (g *randomGraph) grounding(concept int) float64 {
	sum, weight := 0.0, 0.0
	for _, e := range g.edges {
		if p, known := projections[e.Type]; known && e.To == concept {
			sum, weight = sum+e.Confidence*p, weight+e.Confidence
		}
	}
	if weight == 0 {
		return 0
	}
	return sum / weight
}

func TestGroundingOfConcepts(t *testing.T) {
	g, _ := newMeasured(t, 40, 300)
	g.exec(t, "DELETE FROM kg_api.edges WHERE dst = 9")
	g.edges = slices.DeleteFunc(g.edges, func(e knowledge.Edge) bool { return e.To == 9 })
	ids := make([]int, g.concepts)
	for i := range ids {
		ids[i] = i + 1
	}
	summaries, err := g.now.ConceptSummaries(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if got, want := summaries[id].Strength, g.grounding(id); got == nil || math.Abs(*got-want) > 1e-4 {
			t.Errorf("concept %d: %v, want %v", id, got, want)
		}
		if summaries[id].Support != g.support(id) {
			t.Errorf("concept %d: %+v, want %+v", id, summaries[id].Support, g.support(id))
		}
	}
	if s := summaries[9].Strength; *s != 0 {
		t.Errorf("nothing leads to concept 9, and its grounding is %v", *s)
	}
}

func TestVocabularyVectors(t *testing.T) {
	g, store := newMeasured(t, 5, 3)
	types, err := store.TypeVectors(t.Context(), fixtureModel)
	if err != nil || len(types) != 3 {
		t.Fatalf("%d types, %v", len(types), err)
	}
	for _, v := range types {
		p, known := projections[v.Name]
		switch {
		case !known && (v.Embedding != nil || v.Projection != nil || v.Text != ""):
			t.Errorf("%s was not embedded, and has %+v", v.Name, v)
		case known && (*v.Projection != p || v.Embedding[1] != float32(p) || v.Text != "text of "+v.Name):
			t.Errorf("%s: %+v", v.Name, v)
		}
	}
	if other, err := store.TypeVectors(t.Context(), "another"); err != nil || other[0].Embedding != nil {
		t.Errorf("another model has the embedding %v, %v", other[0].Embedding, err)
	}
	pending := func(want bool) {
		t.Helper()
		if types, _, err := store.VocabularyPending(t.Context(), fixtureModel); err != nil || types != want {
			t.Errorf("types wait: %v, want %v, err %v", types, want, err)
		}
	}
	pending(true)
	g.exec(t, "DELETE FROM kg_api.edges WHERE type = (SELECT id FROM kg_api.relationship_types WHERE name = 'RELATED_TO')")
	g.exec(t, "DELETE FROM kg_api.relationship_types WHERE name = 'RELATED_TO'")
	pending(false)
}

func TestVocabularySample(t *testing.T) {
	g, store := newMeasured(t, 60, 900)
	sample, err := store.SampleVocabulary(t.Context(), 40)
	if err != nil {
		t.Fatal(err)
	}
	totals := map[string]int{}
	for _, e := range g.edges {
		totals[e.Type]++
	}
	for _, s := range sample.Types {
		if s.Total != totals[s.Name] || s.Sampled != min(40, s.Total) || len(s.Targets) == 0 || len(s.Targets) > s.Sampled {
			t.Errorf("%+v, want 40 of %d", s, totals[s.Name])
		}
		for _, target := range s.Targets {
			if got, want := sample.Groundings[target], g.grounding(target); math.Abs(got-want) > 1e-6 {
				t.Errorf("target %d: %v, want %v", target, got, want)
			}
		}
	}
	again, err := store.SampleVocabulary(t.Context(), 40)
	if err != nil || !slices.EqualFunc(sample.Types, again.Types, func(a, b vocabulary.TypeSample) bool { return slices.Equal(a.Targets, b.Targets) }) {
		t.Errorf("another sample of the same graph, err %v", err)
	}
}

func TestVocabularyMeasurement(t *testing.T) {
	g, store := newMeasured(t, 5, 3)
	if _, ok, err := store.VocabularyMeasurement(t.Context()); ok || err != nil {
		t.Fatalf("measured before: %v, %v", ok, err)
	}
	types, _ := store.TypeVectors(t.Context(), fixtureModel)
	var measured []vocabulary.MeasuredType
	for _, v := range types {
		stats := knowledge.GroundingStats{Total: 7}
		if v.Name == "CAUSES" {
			stats = knowledge.NewGroundingStats([]float64{0.2, 0.4, 0.6}, 5, 7)
		}
		measured = append(measured, vocabulary.MeasuredType{ID: v.ID, Name: v.Name, Status: stats.Status(v.Name), Stats: stats})
	}
	if err := store.StoreMeasurement(t.Context(), vocabulary.Measurement{Model: fixtureModel, Epoch: 0, SampleSize: 5}, measured); err != nil {
		t.Fatal(err)
	}
	if _, again, err := store.VocabularyPending(t.Context(), fixtureModel); again || err != nil {
		t.Errorf("it is to be measured again: %v, %v", again, err)
	}
	g.exec(t, "UPDATE kg_api.graph_epoch SET epoch = epoch + 1")
	if _, again, err := store.VocabularyPending(t.Context(), fixtureModel); !again || err != nil {
		t.Errorf("after a change of the graph it is to be measured again: %v, %v", again, err)
	}
	g.exec(t, "INSERT INTO kg_api.relationship_types (name, category, created_at) VALUES ('NEW', 'test', now() + interval '1 s')")
	m, ok, err := store.VocabularyMeasurement(t.Context())
	if err != nil || !ok || m.Changes != 1 || m.SampleSize != 5 {
		t.Errorf("got %+v, %v, %v", m, ok, err)
	}
	all, statuses, err := store.VocabularyTypes(t.Context(), true)
	if err != nil || len(all) != 4 || len(statuses) != 4 {
		t.Fatalf("%d types, %d statuses, %v", len(all), len(statuses), err)
	}
	causes, unmeasured := statuses[0], statuses[1]
	if causes.Status != knowledge.StatusMixedGrounding || *causes.Stats.Avg != 0.4 || causes.Stats.Concepts != 3 || causes.MeasuredAt == nil || *all[0].AvgGrounding != 0.4 {
		t.Errorf("CAUSES: %+v, %+v", causes, causes.Stats)
	}
	if unmeasured.Type != "NEW" || unmeasured.Status != knowledge.StatusInsufficientData || unmeasured.Stats != nil || unmeasured.MeasuredAt != nil {
		t.Errorf("got %+v, want NEW without a measurement", unmeasured)
	}
	if statuses[2].Stats != nil || statuses[2].MeasuredAt == nil {
		t.Errorf("got %+v, want a measurement that found too little", statuses[2])
	}
}
