package vocabulary

import (
	"context"
	"math"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// sameProjection is by how much two projections differ at most that are the same.
const sameProjection = 1e-6

// Embed embeds the types that have no embedding of the model, or one of another text,
// and projects all of them on the axis. It stores what has changed, and returns how
// many types were embedded. It returns a CodeUnavailable Error when the model or the
// database cannot be reached.
func (v *Vocabulary) Embed(ctx context.Context) (embedded int, err error) {
	embedder := models.PinnedEmbedder(v.cfg.Embedder)
	model := embedder.Model().Name
	types, err := v.cfg.Store.TypeVectors(ctx, model)
	if err != nil {
		return 0, err
	}
	var places []int
	var texts []string
	for i, t := range types {
		if text := t.WantedText(); t.Embedding == nil || t.Text != text {
			places, texts = append(places, i), append(texts, text)
		}
	}
	if len(texts) > 0 {
		vectors, err := embedder.Embed(ctx, texts)
		if err != nil {
			return 0, err
		}
		for n, i := range places {
			types[i].Embedding, types[i].Text = vectors[n], texts[n]
		}
	}
	changed := project(types, places)
	if len(changed) == 0 {
		return 0, nil
	}
	return len(texts), v.cfg.Store.StoreTypeVectors(ctx, model, changed)
}

// project sets the projection of every type, and returns the types that have a new
// embedding, or another projection than before.
func project(types []vocabulary.TypeVector, embedded []int) []vocabulary.TypeVector {
	vectors := make(map[string]models.Embedding, len(types))
	for _, t := range types {
		vectors[t.Name] = t.Embedding
	}
	isNew := make(map[int]bool, len(embedded))
	for _, i := range embedded {
		isNew[i] = true
	}
	axis := vocabulary.GroundingAxis(vectors)
	var changed []vocabulary.TypeVector
	for i, t := range types {
		p := axis.Projection(t.Embedding)
		same := t.Projection != nil && math.Abs(*t.Projection-p) <= sameProjection
		if same && !isNew[i] {
			continue
		}
		if !isNew[i] {
			t.Embedding = nil // it is stored already
		}
		t.Projection = &p
		changed = append(changed, t)
	}
	return changed
}
