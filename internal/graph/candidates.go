package graph

import (
	"context"

	"github.com/kappagraph/kappa"
)

const (
	minCandidates   = 300   // concepts whose exact similarity is computed, at least
	maxCandidates   = 2_000 // and at most
	partCandidates  = 50    // likewise for each part of a question
	maxTermHits     = 1_000
	candidateMargin = 200 // beyond the page that was asked for
)

// probe is a question with its embeddings.
type probe struct {
	query      kappa.SearchQuery
	model      string
	whole      kappa.Embedding
	parts      []part
	embeddings []kappa.Embedding // of parts
}

// newProbe embeds a question and its parts in one call of the model.
func (g *Graph) newProbe(ctx context.Context, q kappa.SearchQuery) (probe, error) {
	p := probe{query: q, model: g.embedder.Model().Name, parts: questionParts(q.Query)}
	texts := []string{q.Query}
	for _, part := range p.parts {
		texts = append(texts, part.text)
	}
	embeddings, err := g.embedder.Embed(ctx, texts)
	switch {
	case err != nil && ctx.Err() != nil:
		return probe{}, err
	case err != nil:
		return probe{}, embeddingError(err)
	case len(embeddings) != len(texts):
		return probe{}, embeddingError(nil)
	}
	p.whole, p.embeddings = embeddings[0], embeddings[1:]
	return p, nil
}

func embeddingError(err error) error {
	message := "the embedding of the query failed"
	if kappa.ErrorCode(err) == kappa.CodeUnavailable {
		message += ": " + kappa.ErrorMessage(err)
	}
	return &kappa.Error{Code: kappa.CodeUnavailable, Message: message, RetryAfter: retryAfter, Err: err}
}

// rank scores the concepts that p may mean. A concept scores by its name, 1 for
// the label and 0.95 for a search term, or by the cosine of its embedding with
// the question's, whichever is higher. For a part of the question the same
// scores count less, by part.weight.
func (v view) rank(ctx context.Context, p probe) (ranking, error) {
	r := ranking{}
	if err := v.rankByName(ctx, p, r); err != nil {
		return nil, err
	}
	if err := v.rankWhole(ctx, p, r); err != nil {
		return nil, err
	}
	return r, v.rankParts(ctx, p, r)
}

func (v view) rankByName(ctx context.Context, p probe, r ranking) error {
	weights := map[string]float64{}
	var terms []string
	for _, part := range p.parts {
		weights[part.text] = part.weight()
		terms = append(terms, part.text)
	}
	whole := kappa.LabelKey(p.query.Query)
	weights[whole] = 1
	hits, err := v.TermHits(ctx, append(terms, whole), p.query.Ontology, maxTermHits)
	for _, h := range hits {
		score := termScore
		if h.IsLabel {
			score = labelScore
		}
		r.add(h.ID, h.ConceptID, score*weights[h.Term])
	}
	return err
}

func (v view) rankWhole(ctx context.Context, p probe, r ranking) error {
	ids, err := v.NearestConcepts(ctx, kappa.NearQuery{
		Model: p.model, Signature: p.whole.Signature(), Ontology: p.query.Ontology,
		Limit: min(max(p.query.Offset+p.query.Limit+candidateMargin, minCandidates), maxCandidates),
	})
	if err != nil {
		return err
	}
	concepts, err := v.ConceptEmbeddings(ctx, p.model, ids)
	for _, c := range concepts {
		r.add(c.ID, c.ConceptID, p.whole.Cosine(c.Embedding))
	}
	return err
}

func (v view) rankParts(ctx context.Context, p probe, r ranking) error {
	if len(p.parts) == 0 {
		return nil
	}
	queries := make([]kappa.NearQuery, len(p.parts))
	for i, e := range p.embeddings {
		queries[i] = kappa.NearQuery{Model: p.model, Signature: e.Signature(), Ontology: p.query.Ontology, Limit: partCandidates}
	}
	found, err := v.CloseConcepts(ctx, queries)
	if err != nil {
		return err
	}
	var all []int
	for _, ids := range found {
		all = append(all, ids...)
	}
	concepts, err := v.ConceptEmbeddings(ctx, p.model, distinct(all))
	if err != nil {
		return err
	}
	byID := make(map[int]kappa.EmbeddedConcept, len(concepts))
	for _, c := range concepts {
		byID[c.ID] = c
	}
	for i, ids := range found {
		for _, id := range ids {
			if c, ok := byID[id]; ok {
				r.add(id, c.ConceptID, p.embeddings[i].Cosine(c.Embedding)*p.parts[i].weight())
			}
		}
	}
	return nil
}
