package graph

import (
	"context"
	"slices"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Concept returns a concept with its quotes and its outgoing relationships. The
// quotes are the first 200, in the order of ontologies, documents and places in
// them; the relationships are the 1,000 that say most: stated ones before mere
// co-occurrence, certain ones before uncertain ones. It returns a CodeNotFound
// Error for an unknown id, CodeUnavailable after the deadline.
//
// Within an ontology it returns what that says of the concept, and CodeNotFound for one that
// it does not show.
func (g *Graph) Concept(ctx context.Context, q questions.ConceptQuery) (details questions.ConceptDetails, err error) {
	if err := q.Validate(); err != nil {
		return questions.ConceptDetails{}, err
	}
	err = g.readIn(ctx, "reading a concept", nil, q.Ontology, func(ctx context.Context, v view) error {
		v.measures = q.Measures
		details, err = v.concept(ctx, q.ConceptID, q.IncludeEvidence)
		return err
	})
	return details, err
}

func (v view) concept(ctx context.Context, conceptID string, evidence bool) (questions.ConceptDetails, error) {
	id, err := v.ConceptNumber(ctx, conceptID)
	if err != nil {
		return questions.ConceptDetails{}, err
	}
	summaries, err := v.summaries(ctx, []int{id})
	if err != nil {
		return questions.ConceptDetails{}, err
	}
	ontologies, err := v.ConceptOntologies(ctx, []int{id})
	if err != nil {
		return questions.ConceptDetails{}, err
	}
	instances, err := v.ConceptEvidence(ctx, []int{id}, v.limits.instances)
	if err != nil {
		return questions.ConceptDetails{}, err
	}
	if err := v.addTexts(ctx, instances[id]); err != nil {
		return questions.ConceptDetails{}, err
	}
	documents, err := v.ConceptProvenance(ctx, id, v.limits.instances)
	if err != nil {
		return questions.ConceptDetails{}, err
	}
	relationships, err := v.relationshipsOf(ctx, id, evidence)
	if err != nil {
		return questions.ConceptDetails{}, err
	}
	groundings, err := v.groundings(ctx, summaries)
	if err != nil {
		return questions.ConceptDetails{}, err
	}
	s := summaries[id]
	return questions.ConceptDetails{
		ConceptID: conceptID, Label: s.Label, Description: s.Description, SearchTerms: orEmpty(s.SearchTerms),
		Documents: orEmpty(ontologies[id]), Instances: orEmpty(instances[id]), Relationships: orEmpty(relationships),
		Grounding: groundings[id], Provenance: questions.ConceptProvenance{Documents: orEmpty(documents)},
	}, nil
}

// relationshipsOf returns the outgoing relationships of a concept, with their sentences when
// these are wanted.
func (v view) relationshipsOf(ctx context.Context, id int, evidence bool) ([]questions.ConceptRelationship, error) {
	list, err := v.ConceptRelationships(ctx, id, v.limits.relationships)
	if err != nil {
		return nil, err
	}
	edges := make([]knowledge.Edge, len(list))
	for i, r := range list {
		edges[i] = knowledge.Edge{From: id, To: r.To, Type: r.Type, Forward: true}
	}
	sentences, err := v.statements(ctx, edges, evidence)
	for i := range sentences {
		list[i].Evidence = sentences[i]
	}
	return list, err
}

// addTexts adds to quotes the texts of their chunks.
func (v view) addTexts(ctx context.Context, quotes []knowledge.Evidence) error {
	sources := make([]string, len(quotes))
	for i, q := range quotes {
		sources[i] = q.SourceID
	}
	slices.Sort(sources)
	texts, err := v.SourceTexts(ctx, slices.Compact(sources))
	for i, q := range quotes {
		if text, ok := texts[q.SourceID]; ok {
			quotes[i].FullText = &text
		}
	}
	return err
}

// samples returns the first quotes of concepts when they are wanted, and nothing
// otherwise.
func (v view) samples(ctx context.Context, ids []int, wanted bool) (map[int][]knowledge.Evidence, error) {
	if !wanted || len(ids) == 0 {
		return map[int][]knowledge.Evidence{}, nil
	}
	samples, err := v.ConceptEvidence(ctx, ids, questions.SampleEvidence)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		samples[id] = orEmpty(samples[id])
	}
	return samples, nil
}

// orEmpty returns a list that JSON shows as one.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// distinct returns each of ids once, ascending.
func distinct(ids []int) []int {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}
