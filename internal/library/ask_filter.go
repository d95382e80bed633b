package library

import (
	"context"
	"slices"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/retrieval"
	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// filter says which passages a question may be answered from.
type filter struct {
	names      []string       // of the ontologies; one empty name is all
	ontologies []int32        // numbers of those that there are
	documents  map[int32]bool // nil: all
	languages  []string
	classes    []uint8 // as the index numbers them
}

// newFilter reads a filter against the index. Whatever narrows documents down is looked up; with then,
// t has not all of the index.
func newFilter(ctx context.Context, t tables, s retrieval.Snapshot, q questions.AskFilter, then bool) (filter, error) {
	f := filter{names: q.Ontologies, languages: q.Languages}
	for _, c := range q.Classes {
		f.classes = append(f.classes, uint8(slices.Index(corpus.PassageClasses(), corpus.PassageClass(c))))
	}
	for _, name := range q.Ontologies {
		if n, ok := s.Ontology(name); ok {
			f.ontologies = append(f.ontologies, n)
		}
	}
	if len(f.names) == 0 {
		f.names = []string{""}
	}
	if len(q.DocumentIDs) == 0 && len(q.Kinds) == 0 && q.Since.IsZero() && !then {
		return f, nil
	}
	var types []corpus.ContentType
	for _, k := range q.Kinds {
		types = append(types, corpus.KindTypes(k)...)
	}
	ids, err := t.AskDocuments(ctx, questions.AskDocuments{DocumentIDs: q.DocumentIDs, Types: types, Since: q.Since})
	f.documents = make(map[int32]bool, len(ids))
	for _, id := range ids {
		f.documents[id] = true
	}
	return f, err
}

// restricted reports whether it is for some ontologies only, be they none.
func (f *filter) restricted() bool { return f.names[0] != "" }

func (f *filter) allowsOntology(n int32) bool {
	return !f.restricted() || slices.Contains(f.ontologies, n)
}

// allow returns the filter as the index takes it; nil allows all.
func (f *filter) allow() func(*index.Meta) bool {
	if !f.restricted() && f.documents == nil && len(f.languages) == 0 && len(f.classes) == 0 {
		return nil
	}
	return func(m *index.Meta) bool {
		return f.allowsOntology(m.Ontology) && (f.documents == nil || f.documents[m.Document]) &&
			(len(f.languages) == 0 || slices.Contains(f.languages, m.Language)) && (len(f.classes) == 0 || slices.Contains(f.classes, m.Kind))
	}
}
