package english

import (
	"context"
	"sync"

	"github.com/kappagraph/kappa/corpus/models"
)

// dimensions is the length of an embedding.
const dimensions = 768

// Weights of what makes up an embedding. They are squared lengths, so they add
// up: two labels that share one word of two have about half of it in common.
const (
	weightWord   = 1.0  // each word, by its stem
	weightGrams  = 0.45 // each word's character n-grams together
	weightBigram = 0.2  // each pair of neighbouring words
	weightHead   = 0.5  // the last word of a label: what kind of thing it is
	weightWhole  = 0.8  // the label as a whole, without its spaces
	weightRest   = 0.06 // everything after the first section
)

// Embedder is the built-in embedding: hashed character n-grams, word
// stems, word pairs and the whole label, with signs, weighted by how rare the
// words are. It recognises the spellings and inflections of one name and keeps
// different names apart; it knows nothing of meaning. It is safe for concurrent
// use and depends on nothing but the text.
//
// Embeddings are made at the same time, without a lock: one is some 20 microseconds of
// processor time, and what it works on is its own. A model that is loaded into memory,
// or a server of one, embeds one at a time; that is what the limits of a provider are for.
//
// A text may have sections, which knowledge.SectionBreak separates, as label, description
// and search terms. The first one makes up 94 % of the squared length, so that a
// concept is compared by its label.
type Embedder struct {
	words *lexicon
	pool  sync.Pool // *featureSet
}

var _ models.Embedder = (*Embedder)(nil)

// NewEmbedder loads the word lists.
func NewEmbedder() *Embedder {
	e := &Embedder{words: newLexicon()}
	e.pool.New = func() any { return newFeatureSet(e.words) }
	return e
}

// Model describes the embedder.
func (e *Embedder) Model() models.Model {
	return models.Model{Name: models.LocalEmbedding, Local: true, NamesOnly: true}
}

// Embed returns the embeddings of texts, each of length 1. A text without
// letters and digits has the same valid embedding as any other such text. The
// only error is that of ctx.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([]models.Embedding, error) {
	out := make([]models.Embedding, len(texts))
	f := e.pool.Get().(*featureSet)
	defer e.pool.Put(f)
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = f.embed(text)
	}
	return out, nil
}
