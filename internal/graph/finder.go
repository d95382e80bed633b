package graph

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/graph/signatures"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// finder finds concepts by name and by meaning: in the tables, or in memory. Both
// answer the same.
type finder interface {
	TermHits(ctx context.Context, terms []string, ontology *string, most int) ([]knowledge.TermHit, error)
	NearestConcepts(ctx context.Context, q knowledge.NearQuery) ([]int, error)
	CloseConcepts(ctx context.Context, queries []knowledge.NearQuery) ([][]int, error)
	// Similar returns how similar each embedding is to those of its concepts, as
	// far as they have one of the model.
	Similar(ctx context.Context, model string, embeddings []models.Embedding, ids [][]int) ([][]questions.SimilarConcept, error)
}

// rank scores the concepts that p may mean: from memory when there is an index.
func (v view) rank(ctx context.Context, p probe) (ranking, error) {
	var find finder = tableFinder{v.Snapshot}
	if p.index != nil {
		find = memoryFinder{tableFinder{v.Snapshot}, p.index}
	}
	found, err := rank(ctx, find, p)
	if v.ontology != 0 { // the index may be of another moment
		maps.DeleteFunc(found, func(id int, _ ranked) bool { return !v.memory.knows([]int{id}) })
	}
	return found, err
}

// tableFinder is the finder of the database.
type tableFinder struct{ Snapshot }

// Similar reads the embeddings of all the concepts at once.
func (t tableFinder) Similar(ctx context.Context, model string, embeddings []models.Embedding, ids [][]int) ([][]questions.SimilarConcept, error) {
	concepts, err := t.ConceptEmbeddings(ctx, model, distinct(slices.Concat(ids...)))
	if err != nil {
		return nil, err
	}
	byID := make(map[int]knowledge.EmbeddedConcept, len(concepts))
	for _, c := range concepts {
		byID[c.ID] = c
	}
	similar := make([][]questions.SimilarConcept, len(ids))
	for i, list := range ids {
		for _, id := range list {
			if c, ok := byID[id]; ok {
				similar[i] = append(similar[i], questions.SimilarConcept{ID: id, ConceptID: c.ConceptID, Cosine: embeddings[i].Cosine(c.Embedding)})
			}
		}
	}
	return similar, nil
}

// errNoVectors reports that embeddings are needed that the index has no room for.
var errNoVectors = errors.New("the index holds no embeddings")

// memoryFinder is the finder of the index. It reads the tables for embeddings that the
// index has no room for; without a Snapshot its error is errNoVectors then.
type memoryFinder struct {
	tableFinder

	index *signatures.Index
}

// TermHits is signatures.Index.TermHits.
func (m memoryFinder) TermHits(_ context.Context, terms []string, ontology *string, most int) ([]knowledge.TermHit, error) {
	return m.index.TermHits(terms, ontology, most), nil
}

// NearestConcepts is signatures.Index.Nearest.
func (m memoryFinder) NearestConcepts(ctx context.Context, q knowledge.NearQuery) ([]int, error) {
	return m.index.Nearest(q), ctx.Err()
}

// CloseConcepts is signatures.Index.Close for each query.
func (m memoryFinder) CloseConcepts(ctx context.Context, queries []knowledge.NearQuery) ([][]int, error) {
	found := make([][]int, len(queries))
	for i, q := range queries {
		found[i] = m.index.Close(q)
	}
	return found, ctx.Err()
}

// Similar is signatures.Index.Similar for each embedding.
func (m memoryFinder) Similar(ctx context.Context, model string, embeddings []models.Embedding, ids [][]int) ([][]questions.SimilarConcept, error) {
	similar := make([][]questions.SimilarConcept, len(ids))
	for i, list := range ids {
		var held bool
		if similar[i], held = m.index.Similar(embeddings[i], list); held {
			continue
		}
		if m.Snapshot == nil {
			return nil, errNoVectors
		}
		return m.tableFinder.Similar(ctx, model, embeddings, ids)
	}
	return similar, ctx.Err()
}
