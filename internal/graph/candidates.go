package graph

import (
	"context"
	"maps"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/graph/signatures"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
	"github.com/kappagraph/kappa/knowledge/questions"
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
	query      questions.SearchQuery
	model      string
	whole      models.Embedding
	parts      []part
	embeddings []models.Embedding // of parts
	index      *signatures.Index  // nil: the tables are read
}

// newProbe embeds a question and its parts in one call of the model.
func (g *Graph) newProbe(ctx context.Context, q questions.SearchQuery) (probe, error) {
	embedder := models.PinnedEmbedder(g.embedder)
	p := probe{query: q, model: embedder.Model().Name, parts: questionParts(q.Query)}
	texts := []string{q.Query}
	for _, part := range p.parts {
		texts = append(texts, part.text)
	}
	embeddings, err := embedder.Embed(ctx, texts)
	switch {
	case err != nil && ctx.Err() != nil:
		return probe{}, err
	case err != nil:
		return probe{}, embeddingError(err)
	case len(embeddings) != len(texts):
		return probe{}, embeddingError(nil)
	}
	p.whole, p.embeddings = embeddings[0], embeddings[1:]
	p.index = g.search.Index(ctx, p.model)
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
// scores count less, by part.weight. A concept of that very name comes before all that
// only resemble it.
func rank(ctx context.Context, f finder, p probe) (ranking, error) {
	r := ranking{}
	named, err := rankByName(ctx, f, p, r)
	if err != nil {
		return nil, err
	}
	most := 1.0
	if named {
		most = nextToNamed
	}
	if err := rankWhole(ctx, f, p, r, most); err != nil {
		return nil, err
	}
	return r, rankParts(ctx, f, p, r)
}

// rankByName reports whether a concept bears the whole question as its name.
func rankByName(ctx context.Context, f finder, p probe, r ranking) (named bool, err error) {
	weights := p.names()
	hits, err := f.TermHits(ctx, slices.Sorted(maps.Keys(weights)), p.query.Ontology, maxTermHits)
	whole := naming.LabelKey(p.query.Query)
	for _, h := range hits {
		score := termScore
		if h.IsLabel {
			score = labelScore
		}
		r.add(h.ID, h.ConceptID, score*weights[h.Term])
		named = named || h.Term == whole
	}
	return named, err
}

func rankWhole(ctx context.Context, f finder, p probe, r ranking, most float64) error {
	ids, err := f.NearestConcepts(ctx, knowledge.NearQuery{
		Model: p.model, Signature: p.whole.Signature(), Ontology: p.query.Ontology,
		Limit: min(max(p.query.Offset+p.query.Limit+candidateMargin, minCandidates), maxCandidates),
	})
	if err != nil {
		return err
	}
	similar, err := f.Similar(ctx, p.model, []models.Embedding{p.whole}, [][]int{ids})
	if err != nil {
		return err
	}
	for _, c := range similar[0] {
		r.add(c.ID, c.ConceptID, min(most, c.Cosine))
	}
	return nil
}

func rankParts(ctx context.Context, f finder, p probe, r ranking) error {
	if len(p.parts) == 0 {
		return nil
	}
	queries := make([]knowledge.NearQuery, len(p.parts))
	for i, e := range p.embeddings {
		queries[i] = knowledge.NearQuery{Model: p.model, Signature: e.Signature(), Ontology: p.query.Ontology, Limit: partCandidates}
	}
	found, err := f.CloseConcepts(ctx, queries)
	if err != nil {
		return err
	}
	similar, err := f.Similar(ctx, p.model, p.embeddings, found)
	if err != nil {
		return err
	}
	for i, list := range similar {
		for _, c := range list {
			r.add(c.ID, c.ConceptID, c.Cosine*p.parts[i].weight())
		}
	}
	return nil
}
