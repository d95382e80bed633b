package api

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// AskRequest asks the documents a question.
type AskRequest struct {
	Question string `json:"question" doc:"In words, up to 2,000 characters"`
	Limit    *int   `json:"limit,omitempty" default:"5" doc:"Passages, 1 to 20"`
	Offset   *int   `json:"offset,omitempty" default:"0" doc:"Passages to leave out before them, up to 200"`
	PassageFilters
	Thread          []string `json:"thread,omitempty" doc:"The questions before, the last one last: what this one leaves out is carried over from them"`
	Exact           *bool    `json:"exact,omitempty" default:"false" doc:"Take no word for a slip of another"`
	IncludeEvidence *bool    `json:"include_evidence,omitempty" default:"false" doc:"Show the sentences that state each relationship, up to three of each"`
	Explain         *bool    `json:"explain,omitempty" default:"false" doc:"Show what each feature of the ranking gives each passage"`
	AsOf            *string  `json:"as_of,omitempty" doc:"Answer from what stood then: an instant in RFC 3339, or the number of an epoch. Passages of documents that stood then, also of versions that went since; what was deleted is not among them, and nothing of the graph is shown"`
	Rerank          *bool    `json:"rerank,omitempty" default:"true" doc:"Have the reranker revise the order, where the server has one"`
	OfferOnly       *bool    `json:"offer_only,omitempty" default:"false" doc:"Of /query/ask/answer: only say what the answer would cost at most, and call no model for it"`
}

// AskRequestOf returns the body that asks q. What is zero is left to the server.
func AskRequestOf(q questions.Question) AskRequest {
	b := AskRequest{
		Question: q.Text, Limit: given(q.Limit), Offset: given(q.Offset), PassageFilters: passageFilters(q.AskFilter), Thread: q.Thread, Exact: given(q.Exact),
		IncludeEvidence: given(q.IncludeEvidence), Explain: given(q.Explain), OfferOnly: given(q.OfferOnly), AsOf: given(q.AsOf),
	}
	if q.Plain {
		b.Rerank = new(false)
	}
	return b
}

// Asks returns what b asks.
func (b AskRequest) Asks() questions.Question {
	return questions.Question{
		Text: b.Question, Limit: or(b.Limit), Offset: or(b.Offset), AskFilter: b.filter(), Thread: b.Thread, Exact: or(b.Exact),
		IncludeEvidence: or(b.IncludeEvidence), Explain: or(b.Explain), Plain: b.Rerank != nil && !*b.Rerank, OfferOnly: or(b.OfferOnly), AsOf: or(b.AsOf),
	}
}

// FindRequest asks for the concepts, documents and passages that have some words.
type FindRequest struct {
	Query  string   `json:"query" doc:"Words, up to 2,000 characters"`
	Typing *bool    `json:"typing,omitempty" default:"false" doc:"The last word may be the beginning of one"`
	Exact  *bool    `json:"exact,omitempty" default:"false" doc:"Take no word for a slip of another"`
	Find   []string `json:"find,omitempty" doc:"Only these: concept, document, passage"`
	Limit  *int     `json:"limit,omitempty" default:"20" doc:"Hits of the page, 1 to 100"`
	Cursor *string  `json:"cursor,omitempty" doc:"next_cursor of the page before, for the same search"`
	PassageFilters
}

// FindRequestOf returns the body that asks q. What is zero is left to the server.
func FindRequestOf(q questions.FindQuery) FindRequest {
	return FindRequest{
		Query: q.Text, Typing: given(q.Typing), Exact: given(q.Exact), Find: q.Find, Limit: given(q.Limit), Cursor: given(q.Cursor), PassageFilters: passageFilters(q.AskFilter),
	}
}

// Asks returns what b asks.
func (b FindRequest) Asks() questions.FindQuery {
	return questions.FindQuery{
		Text: b.Query, Typing: or(b.Typing), Exact: or(b.Exact), Find: b.Find, Limit: or(b.Limit), Cursor: or(b.Cursor), AskFilter: b.filter(),
	}
}

// PassageFilters narrow the passages that are looked at. Exported like FollowOptions.
type PassageFilters struct {
	Ontology    *string     `json:"ontology,omitempty" doc:"Only documents of this ontology"`
	Ontologies  []string    `json:"ontologies,omitempty" doc:"Only documents of these ontologies, up to 100"`
	DocumentIDs []string    `json:"document_ids,omitempty" doc:"Only these documents, up to 100"`
	Kinds       []string    `json:"kinds,omitempty" doc:"Only documents of these kinds: pdf, markdown, html …, or content types"`
	Languages   []string    `json:"languages,omitempty" doc:"Only passages in these languages (ISO 639-1)"`
	Classes     []string    `json:"classes,omitempty" doc:"Only passages of these classes: prose, list, table, code …"`
	Since       *kappa.Time `json:"since,omitempty" doc:"Only documents that were ingested since then"`
}

func passageFilters(f questions.AskFilter) PassageFilters {
	p := PassageFilters{Ontologies: f.Ontologies, DocumentIDs: f.DocumentIDs, Kinds: f.Kinds, Languages: f.Languages, Classes: f.Classes}
	if len(f.Ontologies) == 1 { // as servers of a version before know it
		p.Ontology, p.Ontologies = &f.Ontologies[0], nil
	}
	if !f.Since.IsZero() {
		p.Since = new(kappa.At(f.Since))
	}
	return p
}

func (p PassageFilters) filter() questions.AskFilter {
	f := questions.AskFilter{Ontologies: p.Ontologies, DocumentIDs: p.DocumentIDs, Kinds: p.Kinds, Languages: p.Languages, Classes: p.Classes}
	if name := or(p.Ontology); name != "" {
		f.Ontologies = append(f.Ontologies, name)
	}
	if p.Since != nil {
		f.Since = p.Since.Time
	}
	return f
}
