package library

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// asker finds the passages that answer a question.
type asker interface {
	Ask(ctx context.Context, q questions.Question) (questions.AskAnswer, error)
}

// Model answers questions from passages. The zero Model answers none.
type Model struct {
	// Offer says what an answer would take at most.
	Offer func(question string, passages []questions.AskPassage) questions.AnswerOffer
	// Answer tells each sentence as soon as it is complete. An error of tell ends it.
	Answer func(ctx context.Context, question string, passages []questions.AskPassage, tell func(questions.AnswerSentence) error) (questions.AnswerEnd, error)
}

func (a *API) registerAsk(r *http.Router) {
	http.Register(r, http.Route{
		Method: "POST", Path: "/query/ask", Permission: access.GraphRead, ByRow: true, ID: "query.ask",
		Summary: "Find the passages that answer a question, and the concepts that connect them",
	}, a.ask)
	// A model costs money: the permission is that of those who may have documents read by one.
	http.RegisterEvents(r, http.Route{
		Method: "POST", Path: "/query/ask/answer", Permission: access.IngestCreate, ID: "query.answer", AnswerWithin: answerWithin,
		Summary: "Have a model answer a question from the passages that are found, sentence by sentence with its sources",
	}, a.answer)
}

// answerWithin is how long the first event may take; after it, each has its own time.
const answerWithin = 2 * time.Minute

type askInput struct{ Body askRequest }

type askRequest struct {
	_        struct{} `additionalProperties:"false"`
	Question string   `json:"question" doc:"In words, up to 2,000 characters"`
	Limit    *int     `json:"limit,omitempty" default:"5" doc:"Passages, 1 to 20"`
	Offset   *int     `json:"offset,omitempty" default:"0" doc:"Passages to leave out before them, up to 200"`

	Ontology    *string     `json:"ontology,omitempty" doc:"Only documents of this ontology"`
	Ontologies  []string    `json:"ontologies,omitempty" doc:"Only documents of these ontologies, up to 100"`
	DocumentIDs []string    `json:"document_ids,omitempty" doc:"Only these documents, up to 100"`
	Kinds       []string    `json:"kinds,omitempty" doc:"Only documents of these kinds: pdf, markdown, html …, or content types"`
	Languages   []string    `json:"languages,omitempty" doc:"Only passages in these languages (ISO 639-1)"`
	Classes     []string    `json:"classes,omitempty" doc:"Only passages of these classes: prose, list, table, code …"`
	Since       *kappa.Time `json:"since,omitempty" doc:"Only documents that were ingested since then"`

	Thread          []string `json:"thread,omitempty" doc:"The questions before, the last one last: what this one leaves out is carried over from them"`
	Exact           *bool    `json:"exact,omitempty" default:"false" doc:"Take no word for a slip of another"`
	IncludeEvidence *bool    `json:"include_evidence,omitempty" default:"false" doc:"Show the sentences that state each relationship, up to three of each"`
	Explain         *bool    `json:"explain,omitempty" default:"false" doc:"Show what each feature of the ranking gives each passage"`
	Rerank          *bool    `json:"rerank,omitempty" default:"true" doc:"Have the reranker revise the order, where the server has one"`
	OfferOnly       *bool    `json:"offer_only,omitempty" default:"false" doc:"Of /query/ask/answer: only say what the answer would cost at most, and call no model for it"`
}

func (r askRequest) query() questions.Question {
	q := questions.Question{
		Text: r.Question, Limit: *r.Limit, Offset: *r.Offset, Thread: r.Thread, Exact: *r.Exact, IncludeEvidence: *r.IncludeEvidence, Explain: *r.Explain, Plain: !*r.Rerank, OfferOnly: *r.OfferOnly,
		AskFilter: questions.AskFilter{Ontologies: r.Ontologies, DocumentIDs: r.DocumentIDs, Kinds: r.Kinds, Languages: r.Languages, Classes: r.Classes},
	}
	if r.Ontology != nil && *r.Ontology != "" {
		q.Ontologies = append(q.Ontologies, *r.Ontology)
	}
	if r.Since != nil {
		q.Since = r.Since.Time
	}
	return q
}

func (a *API) ask(ctx context.Context, in *askInput) (questions.AskAnswer, error) {
	q := in.Body.query()
	if err := q.Validate(); err != nil || http.OnlyChecks(ctx) {
		return questions.AskAnswer{}, err
	}
	if err := http.NarrowSome(ctx, access.GraphRead, &q.Ontologies); err != nil {
		return questions.AskAnswer{}, err
	}
	return a.cfg.Asker.Ask(ctx, q)
}

// answer streams the passages, what an answer costs at most, its sentences, and what became
// of it. Without passages, and when only the offer was asked for, no model is called.
func (a *API) answer(ctx context.Context, in *askInput) (http.Events, error) {
	model := a.cfg.Model()
	if model.Answer == nil {
		return nil, kappa.NewError(kappa.CodeNotImplemented, "this server has no model that answers; POST /query/ask finds the passages. kg admin models set extraction, or KG_EXTRACTOR, chooses one of openai, anthropic or ollama")
	}
	found, err := a.ask(ctx, in)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, send func(string, any) error) error {
		if err := send("passages", found); err != nil {
			return err
		}
		if len(found.Passages) == 0 {
			return send("end", questions.AnswerEnd{})
		}
		if err := send("offer", model.Offer(found.Question, found.Passages)); err != nil {
			return err
		}
		if *in.Body.OfferOnly {
			return send("end", questions.AnswerEnd{})
		}
		end, err := model.Answer(ctx, found.Question, found.Passages, func(s questions.AnswerSentence) error { return send("sentence", s) })
		if err != nil {
			return err
		}
		return send("end", end)
	}, nil
}
