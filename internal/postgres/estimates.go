package postgres

import (
	"context"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
)

// EstimateStore keeps what ingestions took, from which estimates are made.
type EstimateStore struct{ *base }

// Estimates returns the store of estimates.
func (d *DB) Estimates() EstimateStore { return EstimateStore{&d.base} }

// Learn keeps what a job took. Doing so again changes nothing.
func (s EstimateStore) Learn(ctx context.Context, l corpus.Learnt) error {
	if l.Chunks == 0 || l.Words == 0 {
		return nil
	}
	return translate(s.q().EstimateLearn(ctx, db.EstimateLearnParams{
		JobID: l.JobID, Model: l.Model, Chunks: int32(l.Chunks), Words: int32(l.Words), Concepts: int32(l.Concepts),
	}), "keep what a job took")
}

// Band returns what the last jobs of a model took.
func (s EstimateStore) Band(ctx context.Context, model string) (corpus.ErrorBand, error) {
	r, err := s.q().EstimateBand(ctx, corpus.ConceptsScale, model)
	return corpus.ErrorBand{
		Jobs: int(r.Jobs), InputLow: r.InputLow, InputHigh: r.InputHigh, OutputLow: r.OutputLow, OutputHigh: r.OutputHigh,
		ConceptsLow: r.ConceptsLow, ConceptsHigh: r.ConceptsHigh,
	}, translate(err, "read what earlier jobs took")
}

// KnownTerms returns those of the names that concepts bear, in the form of
// naming.LabelKey.
func (s EstimateStore) KnownTerms(ctx context.Context, names []string) ([]string, error) {
	known, err := s.q().KnownTerms(ctx, names)
	return known, translate(err, "look names up")
}

// ConceptsNamed returns concepts that bear one of the names, in the form of
// naming.LabelKey: at most knowledge.MaxKnownConcepts, those with the most quotes.
func (s EstimateStore) ConceptsNamed(ctx context.Context, names []string) ([]knowledge.KnownConcept, error) {
	rows, err := db.New(s.graph).ConceptsNamed(ctx, names, knowledge.MaxKnownConcepts)
	if err != nil {
		return nil, translate(err, "find concepts by name")
	}
	known := make([]knowledge.KnownConcept, len(rows))
	for i, r := range rows {
		known[i] = knowledge.KnownConcept{ID: r.ConceptID, Label: r.Label}
	}
	return known, nil
}
