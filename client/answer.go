package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// answerSilence is how long a model may think before its next sentence.
const answerSilence = 3 * time.Minute

// AnswerPart is an event of an answer: one of its fields is set.
type AnswerPart struct {
	Found    *questions.AskAnswer      // first: the passages
	Offer    *questions.AnswerOffer    // then what the answer costs at most; not without passages
	Sentence *questions.AnswerSentence // as often as there are sentences
	End      *questions.AnswerEnd      // last
}

// Answer has the server's model answer a question from the passages that it finds. It
// yields the events of the answer as they come; after an error there is no other. The model
// is called after the event Offer: to stop before the end ends the call. Without a model the
// error is CodeNotImplemented. A broken answer is not asked for again, because it costs money.
func (s Graph) Answer(ctx context.Context, q questions.Question) iter.Seq2[AnswerPart, error] {
	return func(yield func(AnswerPart, error) bool) {
		if err := s.answer(ctx, q, func(p AnswerPart) bool { return yield(p, nil) }); err != nil {
			yield(AnswerPart{}, err)
		}
	}
}

func (s Graph) answer(ctx context.Context, q questions.Question, yield func(AnswerPart) bool) error {
	in, err := withJSON(http.MethodPost, "/query/ask/answer", api.AskRequestOf(q))
	if err != nil {
		return err
	}
	in.header = http.Header{"Accept": {"text/event-stream"}}
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(answerSilence, func() { cancel(fmt.Errorf("nothing heard for %s", answerSilence)) })
	defer watchdog.Stop()
	resp, err := s.c.send(within, in)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for decoder := newSSEDecoder(resp.Body); ; watchdog.Reset(answerSilence) {
		f, err := decoder.next()
		switch {
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, io.EOF):
			return s.c.unreachable(errors.New("the server closed the stream within an answer"))
		case err != nil:
			return s.c.unreachable(err)
		case f.event == "error":
			return answerError(f.data)
		}
		part, err := answerPart(f)
		if err != nil {
			return err
		}
		if part != (AnswerPart{}) && !yield(part) || part.End != nil {
			return nil
		}
	}
}

// answerError reads the problem that ended an answer.
func answerError(data string) error {
	var p struct{ Detail string }
	if json.Unmarshal([]byte(data), &p) != nil || p.Detail == "" {
		p.Detail = "the server ended the answer with an error"
	}
	return kappa.NewError(kappa.CodeUpstream, p.Detail)
}

// answerPart reads an event; one that is not known is the zero AnswerPart.
func answerPart(f frame) (p AnswerPart, err error) {
	switch f.event {
	case "passages":
		err = json.Unmarshal([]byte(f.data), &p.Found)
	case "offer":
		err = json.Unmarshal([]byte(f.data), &p.Offer)
	case "sentence":
		err = json.Unmarshal([]byte(f.data), &p.Sentence)
	case "end":
		err = json.Unmarshal([]byte(f.data), &p.End)
	}
	if err != nil {
		return AnswerPart{}, fmt.Errorf("the event %s is not what Kappa sends: %w", f.event, err)
	}
	return p, nil
}
