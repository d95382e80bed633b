package vocabulary

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// Measure finds out the epistemic status of every type from up to size of its edges,
// and stores it if wanted. The same graph gives the same answer. It takes a scan over
// the edges and the groundings of the sampled targets.
func (v *Vocabulary) Measure(ctx context.Context, size int, store bool) (vocabulary.Measured, error) {
	return v.MeasureEach(ctx, size, store, func(int, int) error { return nil })
}

// MeasureEach is Measure, and calls each before the first type and after every one, with
// how many of how many have their status. Its error ends the measurement, which then
// stores nothing.
func (v *Vocabulary) MeasureEach(ctx context.Context, size int, store bool, each func(done, of int) error) (vocabulary.Measured, error) {
	sample, err := v.cfg.Store.SampleVocabulary(ctx, size)
	if err != nil {
		return vocabulary.Measured{}, err
	}
	found := vocabulary.Measured{
		At:       vocabulary.Measurement{Model: v.cfg.Embedder.Model().Name, Epoch: sample.Epoch, SampleSize: size, At: kappa.At(v.cfg.Now())},
		ByStatus: map[string]int{},
	}
	if err := each(0, len(sample.Types)); err != nil {
		return vocabulary.Measured{}, err
	}
	for i, t := range sample.Types {
		groundings := make([]float64, 0, len(t.Targets))
		for _, target := range t.Targets {
			if g, ok := sample.Groundings[target]; ok {
				groundings = append(groundings, g)
			}
		}
		stats := knowledge.NewGroundingStats(groundings, t.Sampled, t.Total)
		status := stats.Status(t.Name)
		found.ByStatus[status]++
		found.Types = append(found.Types, vocabulary.MeasuredType{ID: t.ID, Name: t.Name, Status: status, Stats: stats})
		if err := each(i+1, len(sample.Types)); err != nil {
			return vocabulary.Measured{}, err
		}
	}
	if store {
		err = v.cfg.Store.StoreMeasurement(ctx, found.At, found.Types)
		found.Stored = len(found.Types)
	}
	return found, err
}
