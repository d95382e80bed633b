package library

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// asker finds the passages that answer a question.
type asker interface {
	Ask(ctx context.Context, q questions.Question) (questions.AskAnswer, error)
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

type askInput struct{ Body api.AskRequest }

func (a *API) ask(ctx context.Context, in *askInput) (questions.AskAnswer, error) {
	q := in.Body.Asks()
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
