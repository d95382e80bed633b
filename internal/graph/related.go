package graph

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Related returns the concepts within q.MaxDepth relationships of one concept,
// in either direction, nearest first and then by label. Of several shortest
// paths it shows the types of the one that says most: stated relationships
// before mere co-occurrence, certain ones before uncertain ones.
//
// At most 1,000 concepts are listed, and of the last level then those with the
// best paths; Truncated says so. Of tables that do not answer in time it returns what was
// found, and says what is missing; CodeUnavailable when that is all. It returns a CodeInvalid Error that names every
// broken rule, CodeNotFound for an unknown concept, CodeUnavailable after the
// deadline.
func (g *Graph) Related(ctx context.Context, q questions.RelatedQuery) (result questions.RelatedResult, err error) {
	if err := q.Validate(); err != nil {
		return questions.RelatedResult{}, err
	}
	err = g.readIn(ctx, "reading the neighbourhood of a concept", q.MinEpoch, q.Ontology, func(ctx context.Context, v view) error {
		result, err = v.related(ctx, q)
		return err
	})
	return result, err
}

func (v view) related(ctx context.Context, q questions.RelatedQuery) (questions.RelatedResult, error) {
	v, numbers, err := v.locate(ctx, q.ConceptID)
	if err != nil {
		return questions.RelatedResult{}, err
	}
	epoch, err := v.epoch(ctx)
	if err != nil {
		return questions.RelatedResult{}, err
	}
	if v, err = v.narrowed(ctx, q.EpistemicFilter, q.RelationshipFilter); err != nil {
		return questions.RelatedResult{}, err
	}
	v.measures = questions.Measures{NoGrounding: q.NoGrounding}
	start := numbers[0]
	w := newWalk(start)
	l, truncated := newLevels(ctx, q.MaxDepth, v.tables.settings()), false
	for w.depth < q.MaxDepth && len(w.frontier) > 0 && !truncated && !l.over() {
		room := v.limits.related - (len(w.nodes) - 1)
		truncated, err = v.step(ctx, l, w, v.only, room, nil)
		if err != nil {
			return questions.RelatedResult{}, err
		}
	}
	found := make([]int, 0, len(w.nodes))
	for c := range w.nodes {
		if c != start {
			found = append(found, c)
		}
	}
	slices.Sort(found)
	summaries, err := v.summaries(ctx, found)
	if err != nil {
		return questions.RelatedResult{}, err
	}
	summaries[start] = knowledge.ConceptSummary{ID: start, ConceptID: q.ConceptID}
	found = byDistance(shown(found, summaries), w, summaries)
	result := questions.RelatedResult{
		ConceptID: q.ConceptID, MaxDepth: q.MaxDepth, Total: len(found), Offset: q.Offset, Limit: q.Size(), Epoch: epoch,
		Statistics: v.statistics(q.IncludeStatistics, l), Completeness: l.completeness(truncated, moreAround),
	}
	if result.Results, err = v.relatedConcepts(ctx, w, page(found, q.Offset, q.Size()), summaries, q.IncludeEvidence); err != nil {
		return questions.RelatedResult{}, err
	}
	result.Count = len(result.Results)
	return result, nil
}

// shown returns those of some concepts that are still there.
func shown(concepts []int, summaries map[int]knowledge.ConceptSummary) []int {
	return slices.DeleteFunc(concepts, func(c int) bool { _, ok := summaries[c]; return !ok })
}

// step loads the edges around the frontier of w and takes the next level. cut
// reports that edges or concepts were left out; what could not be read is recorded in l.
func (v view) step(ctx context.Context, l *levels, w *walk, types []string, room int, keep func(int) bool) (cut bool, err error) {
	if len(w.frontier) == 0 {
		return w.next(nil, room, keep), nil
	}
	edges, err := v.edges(ctx, l, w.depth+1, w.frontier, types, v.limits.edges+1)
	if err != nil {
		return false, err
	}
	tooMany := len(edges) > v.limits.edges
	if tooMany {
		edges = edges[:v.limits.edges]
	}
	if v.perHop > 0 && v.perHop < room {
		narrowed := w.next(edges, v.perHop, keep)
		l.narrowed = l.narrowed || narrowed
		return tooMany, nil
	}
	return w.next(edges, room, keep) || tooMany, nil
}

// relatedConcepts shows what a walk has found, each with the last relationship of its path.
func (v view) relatedConcepts(ctx context.Context, w *walk, found []int, summaries map[int]knowledge.ConceptSummary, evidence bool) ([]questions.RelatedConcept, error) {
	via := make([]knowledge.Edge, len(found))
	for i, c := range found {
		via[i] = w.nodes[c].via
	}
	sentences, err := v.statements(ctx, via, evidence)
	if err != nil {
		return nil, err
	}
	list := make([]questions.RelatedConcept, 0, len(found))
	for i, c := range found {
		s := summaries[c]
		list = append(list, questions.RelatedConcept{
			ConceptID: s.ConceptID, Label: s.Label, Distance: w.nodes[c].level, PathTypes: w.types(c), Grounding: v.measures.Shown(s.Grounding()),
			Via: questions.RelatedVia{ConceptID: summaries[via[i].From].ConceptID, Forward: via[i].Forward, Evidence: sentences[i]},
		})
	}
	return list, nil
}

// byDistance sorts what a walk has found: the nearest first, then by label.
func byDistance(found []int, w *walk, summaries map[int]knowledge.ConceptSummary) []int {
	slices.SortFunc(found, func(a, b int) int {
		return cmp.Or(cmp.Compare(w.nodes[a].level, w.nodes[b].level), cmp.Compare(summaries[a].Label, summaries[b].Label), cmp.Compare(summaries[a].ConceptID, summaries[b].ConceptID))
	})
	return found
}

// typeNames returns relationship types as the vocabulary spells them.
func typeNames(types []string) []string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = strings.ToUpper(strings.TrimSpace(t))
	}
	return names
}
