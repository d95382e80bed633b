package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/knowledge/questions"
)

type answerInput struct {
	Question   string   `json:"question" jsonschema:"the question, in words"`
	Ontologies []string `json:"ontologies,omitempty" jsonschema:"only documents of these ontologies"`
	Thread     []string `json:"thread,omitempty" jsonschema:"the questions before, the last one last, so that 'and when was it built?' is understood"`
	Limit      int      `json:"limit,omitempty" jsonschema:"from how many passages" bounds:"1..20" standard:"5"`
	OfferOnly  bool     `json:"offer_only,omitempty" jsonschema:"only say what the answer would cost at most"`
}

// answer has the server's model answer, and writes what it says with where that stands.
func (t toolset) answer(ctx context.Context, in answerInput, out *text) error {
	q := questions.Question{
		Text: in.Question, Limit: in.Limit, Thread: in.Thread, OfferOnly: in.OfferOnly,
		AskFilter: questions.AskFilter{Ontologies: in.Ontologies},
	}
	cited := map[int]bool{}
	var whole []client.AnswerPart
	for part, err := range t.c.Graph.Answer(ctx, q) {
		if err != nil {
			return err
		}
		switch {
		case part.Offer != nil:
			out.line("%s answers for at most %s.", part.Offer.Model, kappa.Dollars(part.Offer.CostAtMost))
		case part.Sentence != nil:
			var marks strings.Builder
			for _, n := range part.Sentence.Passages {
				cited[n] = true
				fmt.Fprintf(&marks, "[%d]", n)
			}
			out.line("%s %s", oneLine(part.Sentence.Text), marks.String())
		}
		whole = append(whole, part)
	}
	t.ended(in, whole, cited, out)
	return nil
}

// ended writes what became of an answer, and the passages that it cites.
func (t toolset) ended(in answerInput, whole []client.AnswerPart, cited map[int]bool, out *text) {
	for _, part := range whole {
		if end := part.End; end != nil {
			if !end.Answered && !in.OfferOnly {
				out.line("The documents do not answer that.")
			}
			if end.Dropped > 0 {
				out.line("%d sentences were left out, which their passages do not bear out.", end.Dropped)
			}
			if end.Total() > 0 {
				out.line("It cost %s.", kappa.Dollars(end.Cost))
			}
		}
	}
	for _, part := range whole {
		if part.Found == nil {
			continue
		}
		for _, remark := range part.Found.Remarks() {
			out.line("%s", oneLine(remark))
		}
		for i, p := range part.Found.Passages {
			if cited[i+1] {
				out.line("[%d] %s, bytes %d-%d, source %s: %s", i+1, out.of(p.SourceID, p.Filename, p.Document), p.Start, p.End, p.SourceID, strings.Join(strings.Fields(p.Text), " "))
			}
		}
	}
}
