package graph

import (
	"context"
	"errors"
	"sync"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
)

// mostDiversities is how many diversities are remembered of one epoch.
const mostDiversities = 100_000

// groundings returns what is shown of how well concepts are supported: the measures
// that v.measures asks for.
func (v view) groundings(ctx context.Context, summaries map[int]knowledge.ConceptSummary) (map[int]knowledge.Grounding, error) {
	shown := make(map[int]knowledge.Grounding, len(summaries))
	for id, s := range summaries {
		g := s.Grounding()
		if v.measures.Diversity {
			d, err := v.diversity(ctx, id)
			if err != nil {
				return nil, err
			}
			related := d.related
			g.Diversity, g.Related = d.score, &related
			g.Authentic = knowledge.AuthenticatedDiversity(s.Strength, d.score)
		}
		shown[id] = v.measures.Shown(g)
	}
	return shown, nil
}

// diversity returns the diversity of what is around a concept: of the nearest
// concepts, and of equally near ones those with the smallest numbers. It is computed
// once for each epoch of the graph. When what is around it could not all be read, it is
// not known: that of a part would say another thing at each question.
func (v view) diversity(ctx context.Context, concept int) (measured, error) {
	epoch, err := v.epoch(ctx)
	if err != nil {
		return measured{}, err
	}
	key := measuredAt{concept, v.measures.Hops(), v.measured.model()}
	if d, known := v.measured.find(epoch, key); known {
		return d, nil
	}
	b, err := v.knowing(concept).unfiltered().nhop(ctx, nhopQuery{seeds: []int{concept}, hops: key.hops, most: knowledge.MaxDiversityConcepts})
	if errors.Is(err, errNothingRead) {
		return measured{}, nil
	}
	if err != nil || b.partial {
		return measured{related: len(b.concepts)}, err
	}
	found, err := v.ConceptEmbeddings(ctx, key.model, b.concepts)
	if err != nil {
		return measured{}, err
	}
	embeddings := make([]models.Embedding, len(found))
	for i, c := range found {
		embeddings[i] = c.Embedding
	}
	d := measured{score: knowledge.Diversity(embeddings), related: len(embeddings)}
	v.measured.keep(epoch, key, d)
	return d, nil
}

// diversities remembers the diversities of one epoch of the graph.
type diversities struct {
	model func() string // whose embeddings are compared

	mu    sync.Mutex
	epoch int64
	known map[measuredAt]measured
}

// measuredAt is a concept, how far around it was measured, and with whose embeddings.
type measuredAt struct {
	concept, hops int
	model         string
}

// measured is the diversity of some concepts, nil for fewer than two or when it is not
// known, and how many they are.
type measured struct {
	score   *float64
	related int
}

func newDiversities(embedder models.Embedder) *diversities {
	d := &diversities{known: map[measuredAt]measured{}, model: func() string { return "" }}
	if embedder != nil {
		d.model = func() string { return embedder.Model().Name }
	}
	return d
}

// find returns what is remembered of an epoch.
func (d *diversities) find(epoch int64, key measuredAt) (m measured, known bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if epoch == d.epoch {
		m, known = d.known[key]
	}
	return m, known
}

// keep remembers a diversity, and forgets those of earlier epochs.
func (d *diversities) keep(epoch int64, key measuredAt, m measured) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if epoch < d.epoch {
		return
	}
	if epoch > d.epoch || len(d.known) >= mostDiversities {
		d.epoch = epoch
		clear(d.known)
	}
	d.known[key] = m
}
