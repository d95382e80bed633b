package graph

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// in returns v that sees what one ontology says and nothing else, as if there were no other;
// v itself for "". It returns a CodeNotFound Error for an ontology that there is not.
func (v view) in(ctx context.Context, ontology string) (view, error) {
	if ontology == "" {
		return v, nil
	}
	number, err := v.OntologyNumber(ctx, ontology)
	if err != nil {
		return v, err
	}
	part, err := v.parts.at(ctx, v.Snapshot, number)
	if err != nil {
		return v, err
	}
	v.memory = inMemory{View: part}
	v.ontology = number
	v.Snapshot = &within{all: v.Snapshot, ontology: number, name: ontology, memory: v.memory}
	v.measured = &diversities{model: v.measured.model, known: map[measuredAt]measured{}}
	return v, nil
}

// within is a Snapshot of what one ontology says. It does not embed the Snapshot of the whole
// graph, so that a read that nobody has narrowed does not compile.
type within struct {
	all      Snapshot
	ontology int
	name     string
	memory   inMemory // of the ontology alone

	whole
}

// HideWeak is that of hider.
func (w *within) HideWeak() { w.memory.hidesWeak = true }

// LeastConfidence is that of hider.
func (w *within) LeastConfidence(least float64) { w.memory.floor = float32(least) }

// Heading is that of hider.
func (w *within) Heading(d questions.Heading) { w.memory.heading = d }

// ConceptNumber does not know a concept that the ontology does not show.
func (w *within) ConceptNumber(_ context.Context, conceptID string) (int, error) {
	number, known := w.memory.Number(conceptID)
	if !known {
		return 0, kappa.NewError(kappa.CodeNotFound, fmt.Sprintf("Concept '%s' not found", conceptID))
	}
	return int(number), nil
}

// ConceptNumbers leaves out what the ontology does not show.
func (w *within) ConceptNumbers(_ context.Context, conceptIDs []string) (map[string]int, error) {
	numbers := make(map[string]int, len(conceptIDs))
	for _, id := range conceptIDs {
		if number, known := w.memory.Number(id); known {
			numbers[id] = int(number)
		}
	}
	return numbers, nil
}

// shows returns those of some concepts that the ontology shows.
func (w *within) shows(ids []int) []int {
	return slices.DeleteFunc(slices.Clone(ids), func(id int) bool { return w.memory.ID(int32(id)) == "" })
}

// ConceptNames are the names and counts that the ontology gives.
func (w *within) ConceptNames(ctx context.Context, ids []int) (map[int]knowledge.ConceptSummary, error) {
	said, err := w.all.NarrowedConcepts(ctx, w.shows(ids), w.name, 0)
	if err != nil {
		return nil, err
	}
	names := make(map[int]knowledge.ConceptSummary, len(said))
	for id, n := range said {
		names[id] = n.Rename(knowledge.ConceptSummary{ID: id, ConceptID: w.memory.ID(int32(id))})
	}
	return names, nil
}

// ConceptSummaries counts the relationships that the ontology states, and grounds by them.
func (w *within) ConceptSummaries(ctx context.Context, ids []int) (map[int]knowledge.ConceptSummary, error) {
	summaries, err := w.ConceptNames(ctx, ids)
	if err != nil {
		return nil, err
	}
	projections, err := w.all.TypeProjections(ctx)
	if err != nil {
		return nil, err
	}
	for id, s := range summaries {
		s.Relationships, s.Types, s.Strength = w.memory.support(id, projections)
		summaries[id] = s
	}
	return summaries, nil
}

// ConceptOntologies is the one ontology.
func (w *within) ConceptOntologies(_ context.Context, ids []int) (map[int][]string, error) {
	names := make(map[int][]string, len(ids))
	for _, id := range w.shows(ids) {
		names[id] = []string{w.name}
	}
	return names, nil
}

// ConceptEvidence are the quotes of the ontology.
func (w *within) ConceptEvidence(ctx context.Context, ids []int, most int) (map[int][]knowledge.Evidence, error) {
	said, err := w.all.NarrowedConcepts(ctx, w.shows(ids), w.name, most)
	quotes := make(map[int][]knowledge.Evidence, len(said))
	for id, n := range said {
		quotes[id] = n.Evidence
	}
	return quotes, err
}

// ConceptProvenance are the documents of the ontology.
func (w *within) ConceptProvenance(ctx context.Context, id, most int) ([]questions.ProvenanceDocument, error) {
	return w.all.PartProvenance(ctx, id, w.ontology, most)
}

// SourceTexts are those of chunks that an answer has already.
func (w *within) SourceTexts(ctx context.Context, sourceIDs []string) (map[string]string, error) {
	return w.all.SourceTexts(ctx, sourceIDs)
}

// ConceptRelationships are those that the ontology states.
func (w *within) ConceptRelationships(ctx context.Context, id, most int) ([]questions.ConceptRelationship, error) {
	edges, err := (inMemory{View: w.memory.View}).edgesAround(ctx, []int{id}, nil, 1<<30)
	if err != nil {
		return nil, err
	}
	edges = slices.DeleteFunc(edges, func(e knowledge.Edge) bool { return !e.Forward })
	slices.SortFunc(edges, func(a, b knowledge.Edge) int {
		return cmp.Or(compareBool(a.Type == vocabulary.TypeRelatedTo, b.Type == vocabulary.TypeRelatedTo), cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(a.Type, b.Type), cmp.Compare(a.To, b.To))
	})
	list, err := w.all.PartRelationships(ctx, edges[:min(most, len(edges))], w.ontology)
	if err != nil {
		return nil, err
	}
	ends := make([]int, len(list))
	for i, r := range list {
		ends[i] = r.To
	}
	names, err := w.ConceptNames(ctx, distinct(ends))
	for i, r := range list {
		list[i].ToLabel = names[r.To].Label
	}
	return list, err
}

// EdgesAround are those that the ontology states.
func (w *within) EdgesAround(ctx context.Context, concepts []int, types []string, most int) ([]knowledge.Edge, error) {
	return w.memory.edgesAround(ctx, concepts, types, most)
}

// EdgesBetween are those that the ontology states.
func (w *within) EdgesBetween(ctx context.Context, q questions.BetweenQuery) ([]knowledge.Edge, error) {
	return view{memory: w.memory}.edgesBetween(ctx, q)
}

// Neighbors are those that the ontology states.
func (w *within) Neighbors(ctx context.Context, q questions.NeighborQuery) ([]int32, error) {
	return w.memory.Ends(ctx, q.Concepts, w.memory.follow(q.Types), q.Most)
}

// Bounded bounds what is read of the whole graph.
func (w *within) Bounded(ctx context.Context, within time.Duration, read func(ctx context.Context) error) error {
	return w.all.Bounded(ctx, within, read)
}

// EdgesAmong are those that the ontology states.
func (w *within) EdgesAmong(ctx context.Context, concepts []int, types []string, most int) ([]knowledge.Edge, error) {
	return view{Snapshot: w, memory: w.memory}.edgesAmong(ctx, w.shows(concepts), types, most)
}

// StrongestNeighbors is that of surveyor, of what the ontology states.
func (w *within) StrongestNeighbors(ctx context.Context, concepts []int, types []string, most int) ([]questions.NeighborEdge, error) {
	edges, err := w.memory.edgesAround(ctx, concepts, types, 1<<30)
	if err != nil {
		return nil, err
	}
	around := map[int][]knowledge.Edge{}
	for _, e := range strongest(edges) {
		if !slices.Contains(concepts, e.To) {
			around[e.From] = append(around[e.From], e)
		}
	}
	var list []questions.NeighborEdge
	for _, c := range distinct(concepts) {
		near := around[c]
		slices.SortFunc(near, func(a, b knowledge.Edge) int {
			return cmp.Or(compareBool(a.Type == vocabulary.TypeRelatedTo, b.Type == vocabulary.TypeRelatedTo), cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(a.To, b.To))
		})
		for _, e := range near[:min(most, len(near))] {
			list = append(list, questions.NeighborEdge{Edge: e, Neighbors: len(near)})
		}
	}
	return list, nil
}

// EdgeEvidence are the sentences of the ontology.
func (w *within) EdgeEvidence(ctx context.Context, edges []knowledge.Edge, _, most, skip int) ([][]knowledge.EdgeEvidence, error) {
	return w.all.EdgeEvidence(ctx, edges, w.ontology, most, skip)
}

// ShowEdge shows an edge as the ontology states it.
func (w *within) ShowEdge(ctx context.Context, q questions.EdgeEvidenceQuery, from, to int) (questions.ListedEdge, int, error) {
	edge, sentences, err := w.all.PartEdge(ctx, q, from, to, w.ontology)
	if err != nil {
		return edge, 0, err
	}
	names, err := w.ConceptNames(ctx, distinct([]int{from, to}))
	edge.FromLabel, edge.ToLabel = names[from].Label, names[to].Label
	return edge, sentences, err
}

// ConceptDegrees counts the relationships that the ontology states.
func (w *within) ConceptDegrees(ctx context.Context, model string, ids []int) (map[int]int, error) {
	degrees, err := w.all.ConceptDegrees(ctx, model, w.shows(ids))
	for id := range degrees {
		degrees[id] = w.memory.Degree(int32(id))
	}
	return degrees, err
}

// ConceptEmbeddings are what the names of concepts mean, to whoever asks.
func (w *within) ConceptEmbeddings(ctx context.Context, model string, ids []int) ([]knowledge.EmbeddedConcept, error) {
	return w.all.ConceptEmbeddings(ctx, model, w.shows(ids))
}

// TermHits, NearestConcepts and CloseConcepts find what the ontology shows.
func (w *within) TermHits(ctx context.Context, terms []string, _ *string, most int) ([]knowledge.TermHit, error) {
	return w.all.TermHits(ctx, terms, &w.name, most)
}

// NearestConcepts is that of searcher.
func (w *within) NearestConcepts(ctx context.Context, q knowledge.NearQuery) ([]int, error) {
	q.Ontology = &w.name
	return w.all.NearestConcepts(ctx, q)
}

// CloseConcepts is that of searcher.
func (w *within) CloseConcepts(ctx context.Context, queries []knowledge.NearQuery) ([][]int, error) {
	queries = slices.Clone(queries)
	for i := range queries {
		queries[i].Ontology = &w.name
	}
	return w.all.CloseConcepts(ctx, queries)
}

// GraphEpoch is that of the whole graph.
func (w *within) GraphEpoch(ctx context.Context) (int64, error) { return w.all.GraphEpoch(ctx) }

// TypeStatuses and TypeProjections are measures of the vocabulary, which all ontologies share.
func (w *within) TypeStatuses(ctx context.Context) (map[string]string, error) {
	return w.all.TypeStatuses(ctx)
}

// TypeProjections is that of assessor.
func (w *within) TypeProjections(ctx context.Context) (map[int32]float64, error) {
	return w.all.TypeProjections(ctx)
}
