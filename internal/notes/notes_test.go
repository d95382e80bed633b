package notes_test

import (
	"context"
	"slices"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/notes"
)

// store has one concept, and somebody who comes before the changes of others.
type store struct {
	others
	is     kappa.ExtractedConcept
	before func(*kappa.ExtractedConcept)
	tries  int
}

func (s *store) WrittenConcept(context.Context, string) (kappa.WrittenConcept, error) {
	return kappa.WrittenConcept{Label: s.is.Label, Description: &s.is.Description, SearchTerms: s.is.SearchTerms}, nil
}

func (s *store) EditConcept(_ context.Context, _ string, was, is kappa.ExtractedConcept, _ string, _ kappa.Embedding) (kappa.WrittenConcept, error) {
	s.tries++
	s.before(&s.is)
	if was.Label != s.is.Label || !slices.Equal(was.SearchTerms, s.is.SearchTerms) {
		return kappa.WrittenConcept{}, kappa.NewError(kappa.CodeConflict, "changed")
	}
	s.is = is
	return kappa.WrittenConcept{Label: is.Label}, nil
}

// others are the methods that no test here calls.
type others interface {
	WriteNote(ctx context.Context, n kappa.NoteGraph, m kappa.Matcher, check func() error) (kappa.WrittenNote, error)
	RemoveConcept(ctx context.Context, id string, dry bool) (kappa.RemovedConcept, error)
	EditEdge(ctx context.Context, e kappa.WrittenEdge) (kappa.WrittenEdge, error)
	RemoveEdge(ctx context.Context, e kappa.WrittenEdge, dry bool) (kappa.RemovedEdge, error)
	SplitConcept(ctx context.Context, p kappa.NewConceptSplit, model string, embed func(ctx context.Context, text string) (kappa.Embedding, error)) (kappa.ConceptSplit, error)
}

type embedder struct{}

func (embedder) Embed(_ context.Context, texts []string) ([]kappa.Embedding, error) {
	return make([]kappa.Embedding, len(texts)), nil
}
func (embedder) Model() kappa.Model { return kappa.Model{} }

// TestEditsLoseNothing: two people change different parts of a concept at once, and both
// changes stay.
func TestEditsLoseNothing(t *testing.T) {
	s := &store{is: kappa.ExtractedConcept{Label: "wal", Description: "A log."}}
	s.before = func(c *kappa.ExtractedConcept) { c.Label = "WAL" }
	edit := func() error {
		terms := []string{"write-ahead log"}
		_, err := notes.New(notes.Config{Store: s, Embedder: embedder{}}).EditConcept(t.Context(), "c", kappa.ConceptEdit{SearchTerms: &terms})
		return err
	}
	if err := edit(); err != nil || s.is.Label != "WAL" || len(s.is.SearchTerms) != 1 || s.is.Description != "A log." || s.tries != 2 {
		t.Errorf("it is %+v after %d tries, %v", s.is, s.tries, err)
	}
	s.before = func(c *kappa.ExtractedConcept) { c.Label += "!" }
	if err := edit(); kappa.ErrorCode(err) != kappa.CodeConflict || s.tries > 10 {
		t.Errorf("%d tries against somebody who never stops: %v", s.tries, err)
	}
}
