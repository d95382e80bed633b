package library

import (
	"context"
	"slices"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/answers"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// past knows what stood at a moment.
type past interface {
	Past(ctx context.Context, at corpus.AsOf, ontologies []string) (corpus.Past, error)
}

// KnowPast has questions about a moment answered from what stood then.
func (a *Asker) KnowPast(p past) *Asker {
	a.past = p
	return a
}

// askPast answers a question from the passages that stood at a moment: those of documents that
// stand still, and of versions that went since. The graph is as it is now, so that nothing of
// it is in the answer; nor are passages found by what they mean.
func (a *Asker) askPast(ctx context.Context, q questions.Question) (questions.AskAnswer, error) {
	if a.past == nil {
		return questions.AskAnswer{}, kappa.NewError(kappa.CodeNotImplemented, "this server does not answer about the past")
	}
	at, err := corpus.ParseAsOf(q.AsOf)
	if err != nil {
		return questions.AskAnswer{}, err
	}
	stood, err := a.past.Past(ctx, at, q.Ontologies)
	if err != nil {
		return questions.AskAnswer{}, err
	}
	fresh, err := a.passages.Fresh(ctx)
	if err != nil {
		return questions.AskAnswer{}, err
	}
	joined, err := fresh.With(stood.Passages, answers.DefinedKey)
	if err != nil {
		return questions.AskAnswer{}, err
	}
	then := &Asker{tables: newPastTables(a.tables, stood), model: a.model, reranker: a.reranker, places: a.places}
	x := &asked{Question: q, texts: &then.texts, snapshot: joined, then: true}
	x.IncludeEvidence = false
	if err := then.answer(ctx, x); err != nil {
		return questions.AskAnswer{}, err
	}
	x.answer.AsOf = new(kappa.At(stood.At))
	return x.answer, nil
}

// pastTables are tables in which versions stand that went.
type pastTables struct {
	tables

	stood corpus.Past
	byID  map[int32]*corpus.ShownPassage
}

func newPastTables(t tables, stood corpus.Past) pastTables {
	p := pastTables{tables: t, stood: stood, byID: make(map[int32]*corpus.ShownPassage, len(stood.Passages))}
	for i := range stood.Passages {
		p.byID[stood.Passages[i].ID] = &stood.Passages[i]
	}
	return p
}

// ReadAnswer returns passages without what the graph has of them now.
func (t pastTables) ReadAnswer(ctx context.Context, r questions.AskReading) (questions.AskRead, error) {
	read, err := t.ReadPassages(ctx, r.Passages)
	return questions.AskRead{Passages: read}, err
}

// AskDocuments returns which documents that stood a question may be answered from.
func (t pastTables) AskDocuments(ctx context.Context, q questions.AskDocuments) ([]int32, error) {
	all, err := t.tables.AskDocuments(ctx, q)
	if err != nil {
		return nil, err
	}
	ids := slices.DeleteFunc(all, func(id int32) bool { return !t.stood.Documents[id] })
	for i := range t.stood.Passages {
		p := &t.stood.Passages[i]
		if len(ids) > 0 && ids[len(ids)-1] == p.Document {
			continue
		}
		kind, _, _ := strings.Cut(string(p.ContentType), ";")
		if (len(q.DocumentIDs) == 0 || slices.Contains(q.DocumentIDs, p.DocumentID)) && (len(q.Types) == 0 || slices.Contains(q.Types, corpus.ContentType(kind))) &&
			(q.Since.IsZero() || !p.CreatedAt.Before(q.Since)) {
			ids = append(ids, p.Document)
		}
	}
	return ids, nil
}

// PassagesAround returns those of what stands still.
func (t pastTables) PassagesAround(ctx context.Context, passage int32) ([]int32, error) {
	if passage < 0 {
		return nil, nil
	}
	return t.tables.PassagesAround(ctx, passage)
}

// ReadPassages reads passages in the order of their numbers in the list.
func (t pastTables) ReadPassages(ctx context.Context, ids []int32) ([]corpus.ShownPassage, error) {
	var standing []int32
	for _, id := range ids {
		if id >= 0 {
			standing = append(standing, id)
		}
	}
	var read []corpus.ShownPassage
	if len(standing) > 0 {
		var err error
		if read, err = t.tables.ReadPassages(ctx, standing); err != nil {
			return nil, err
		}
	}
	now := make(map[int32]*corpus.ShownPassage, len(read))
	for i := range read {
		now[read[i].ID] = &read[i]
	}
	var all []corpus.ShownPassage
	for _, id := range ids {
		if p := t.byID[id]; p != nil {
			all = append(all, *p)
		} else if p := now[id]; p != nil {
			all = append(all, *p)
		}
	}
	return all, nil
}
