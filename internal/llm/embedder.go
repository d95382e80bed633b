package llm

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
)

// embedBatch is how many texts are sent at once.
const embedBatch = 64

// Embedder has a model embed texts. It is safe for concurrent use.
type Embedder struct {
	provider   *Provider
	model      string
	dimensions atomic.Int64 // of the first embedding; 0 before it
}

var _ models.Embedder = (*Embedder)(nil)

// NewEmbedder returns an embedder by a model of a provider.
func NewEmbedder(p *Provider, model string) *Embedder { return &Embedder{provider: p, model: model} }

// Model describes the model.
func (e *Embedder) Model() models.Model { return e.provider.model(e.model) }

// Embed implements models.Embedder. A text longer than the model takes is cut by the
// provider, or refused.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([]models.Embedding, error) {
	all := make([]models.Embedding, 0, len(texts))
	for start := 0; start < len(texts); start += embedBatch {
		batch := texts[start:min(start+embedBatch, len(texts))]
		vectors, err := e.provider.embed(ctx, models.ForEmbedding, e.model, batch)
		if err != nil {
			return nil, err
		}
		for _, v := range vectors {
			if err := e.normalise(v); err != nil {
				return nil, err
			}
		}
		all = append(all, vectors...)
	}
	return all, nil
}

// normalise makes an embedding one of length 1, or says why it cannot be used.
func (e *Embedder) normalise(v models.Embedding) error {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return e.unusable("an embedding that is not a vector of numbers, or zero")
	}
	if !e.dimensions.CompareAndSwap(0, int64(len(v))) && e.dimensions.Load() != int64(len(v)) {
		return e.unusable(fmt.Sprintf("embeddings of %d and of %d numbers", e.dimensions.Load(), len(v)))
	}
	length := math.Sqrt(sum)
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
	return nil
}

func (e *Embedder) unusable(what string) error {
	return kappa.Permanent(kappa.NewError(kappa.CodeUpstream, e.Model().Name+" returned "+what))
}

// Dimensions returns the length of the embeddings, 0 before the first.
func (e *Embedder) Dimensions() int { return int(e.dimensions.Load()) }
