package notes_test

import (
	"context"
	"slices"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/notes"
	"github.com/kappagraph/kappa/knowledge"
)

// store has one concept, and somebody who comes before the changes of others.
type store struct {
	others
	is     knowledge.ExtractedConcept
	before func(*knowledge.ExtractedConcept)
	tries  int
}

func (s *store) WrittenConcept(context.Context, string) (knowledge.WrittenConcept, error) {
	return knowledge.WrittenConcept{Label: s.is.Label, Description: &s.is.Description, SearchTerms: s.is.SearchTerms}, nil
}

func (s *store) EditConcept(_ context.Context, _ string, was, is knowledge.ExtractedConcept, _ string, _ models.Embedding) (knowledge.WrittenConcept, error) {
	s.tries++
	s.before(&s.is)
	if was.Label != s.is.Label || !slices.Equal(was.SearchTerms, s.is.SearchTerms) {
		return knowledge.WrittenConcept{}, kappa.NewError(kappa.CodeConflict, "changed")
	}
	s.is = is
	return knowledge.WrittenConcept{Label: is.Label}, nil
}

// others are the methods that no test here calls.
type others interface {
	WriteNote(ctx context.Context, n knowledge.NoteGraph, m knowledge.Matcher, check func() error) (knowledge.WrittenNote, error)
	RemoveConcept(ctx context.Context, id string, dry bool) (knowledge.RemovedConcept, error)
	EditEdge(ctx context.Context, e knowledge.WrittenEdge) (knowledge.WrittenEdge, error)
	RemoveEdge(ctx context.Context, e knowledge.WrittenEdge, dry bool) (knowledge.RemovedEdge, error)
	SplitConcept(ctx context.Context, p knowledge.NewConceptSplit, model string, embed func(ctx context.Context, text string) (models.Embedding, error)) (knowledge.ConceptSplit, error)
}

type embedder struct{}

func (embedder) Embed(_ context.Context, texts []string) ([]models.Embedding, error) {
	return make([]models.Embedding, len(texts)), nil
}
func (embedder) Model() models.Model { return models.Model{} }

// TestEditsLoseNothing: two people change different parts of a concept at once, and both
// changes stay.
func TestEditsLoseNothing(t *testing.T) {
	s := &store{is: knowledge.ExtractedConcept{Label: "wal", Description: "A log."}}
	s.before = func(c *knowledge.ExtractedConcept) { c.Label = "WAL" }
	edit := func() error {
		terms := []string{"write-ahead log"}
		_, err := notes.New(notes.Config{Store: s, Embedder: embedder{}}).EditConcept(t.Context(), "c", knowledge.ConceptEdit{SearchTerms: &terms})
		return err
	}
	if err := edit(); err != nil || s.is.Label != "WAL" || len(s.is.SearchTerms) != 1 || s.is.Description != "A log." || s.tries != 2 {
		t.Errorf("it is %+v after %d tries, %v", s.is, s.tries, err)
	}
	s.before = func(c *knowledge.ExtractedConcept) { c.Label += "!" }
	if err := edit(); kappa.ErrorCode(err) != kappa.CodeConflict || s.tries > 10 {
		t.Errorf("%d tries against somebody who never stops: %v", s.tries, err)
	}
}
