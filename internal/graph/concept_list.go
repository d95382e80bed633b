package graph

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// lister lists concepts by their evidence.
type lister interface {
	ConceptsByEvidence(ctx context.Context, f questions.ConceptFilter) (list []knowledge.ConceptEvidence, total int, err error)
}

// ListConcepts returns the concepts that f selects, those that most chunks
// show first, each with a few quotes, and how many there are in all. The score
// is the number of chunks in relation to the first of the page.
//
// It returns a CodeInvalid Error that names every broken rule, and
// CodeUnavailable after the deadline.
func (g *Graph) ListConcepts(ctx context.Context, f questions.ConceptFilter) (list []questions.ListedConcept, total int, err error) {
	if err := f.Validate(); err != nil {
		return nil, 0, err
	}
	err = g.read(ctx, "the list of concepts", func(ctx context.Context, v view) error {
		found, n, err := v.ConceptsByEvidence(ctx, f)
		if err != nil {
			return err
		}
		total = n
		list, err = v.listed(ctx, found, f.Ontology)
		return err
	})
	return list, total, err
}

// listed shows concepts in their order. ontology is the one that was asked for, or "".
func (v view) listed(ctx context.Context, found []knowledge.ConceptEvidence, ontology string) ([]questions.ListedConcept, error) {
	ordered := make([]ranked, len(found))
	facts := make(map[string]knowledge.ConceptEvidence, len(found))
	for i, c := range found {
		ordered[i] = ranked{id: c.ID, conceptID: c.ConceptID, score: float64(c.Sources) / float64(found[0].Sources)}
		facts[c.ConceptID] = c
	}
	summaries, err := v.listedSummaries(ctx, found)
	if err != nil {
		return nil, err
	}
	var shown questions.ShownConcepts
	if ontology == "" {
		shown, err = v.shownWith(ctx, summaries, idsOf(ordered), questions.SampleEvidence, nil)
	} else {
		shown, err = v.listedIn(ctx, summaries, found, ontology)
	}
	if err != nil {
		return nil, err
	}
	concepts := hits(ordered, shown, true)
	list := make([]questions.ListedConcept, len(concepts))
	for i, hit := range concepts {
		c := facts[hit.ConceptID]
		if ontology != "" {
			c.SearchTerms = shown.Summaries[c.ID].SearchTerms
		}
		list[i] = questions.ListedConcept{
			ConceptHit: hit, SearchTerms: orEmpty(c.SearchTerms), CreationMethod: c.CreationMethod, HasEmbedding: c.HasEmbedding,
			Place: kappa.Cursor{List: kappa.ListConcepts, Keys: []int64{int64(c.Sources), int64(c.Quotes), int64(c.ID)}},
		}
		switch {
		case ontology != "":
			list[i].Ontology = &ontology
		case len(hit.Documents) > 0:
			list[i].Ontology = &hit.Documents[0]
		}
	}
	return list, nil
}

// listedIn is shownWith of what an ontology says of the concepts of a page, which their places
// in its list have counted.
func (v view) listedIn(ctx context.Context, summaries map[int]knowledge.ConceptSummary, found []knowledge.ConceptEvidence, ontology string) (shown questions.ShownConcepts, err error) {
	shown.Summaries = summaries
	if shown.Groundings, err = v.groundings(ctx, summaries); err != nil {
		return shown, err
	}
	within, err := v.NarrowedCounted(ctx, found, ontology, questions.SampleEvidence)
	shown.Narrow(ontology, within)
	return shown, err
}

// listedSummaries returns the summaries of the concepts of a page. Their place in the list has
// counted what shows them; when memory counts their relationships, nothing is left to read.
func (v view) listedSummaries(ctx context.Context, found []knowledge.ConceptEvidence) (map[int]knowledge.ConceptSummary, error) {
	ids := make([]int, len(found))
	summaries := make(map[int]knowledge.ConceptSummary, len(found))
	for i, c := range found {
		ids[i] = c.ID
		summaries[c.ID] = knowledge.ConceptSummary{
			ID: c.ID, ConceptID: c.ConceptID, Label: c.Label, Description: c.Description, SearchTerms: c.SearchTerms,
			Support: knowledge.Support{Sources: c.Sources, Instances: c.Quotes},
		}
	}
	if !v.memory.knows(ids) {
		return v.ConceptSummaries(ctx, ids)
	}
	return summaries, v.addSupport(ctx, summaries)
}
