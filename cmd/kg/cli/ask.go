package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// shownRelationships is how many of an answer's a table shows; JSON has all.
const shownRelationships = 8

// NewAskCommand returns kg ask.
func NewAskCommand(a *App) *cobra.Command {
	var ontology string
	var limit int
	var answer, full, evidence bool
	cmd := &cobra.Command{
		Use:   "ask QUESTION",
		Short: "Ask a question: the passages that answer it, with their sources",
		Long: `kg ask finds the passages of the documents that answer a question, best first, each
with its document, page or section, and bytes; and the concepts and relationships that
connect them. It needs no model, and says first which words of the question stand in no
document, and at the end when no passage has most of them.
Rows of tables are shown with the names of their columns, and long passages are cut unless
--full is given; -o json has the text as it stands.

With --answer the server's model (KG_EXTRACTOR) answers from those passages, sentence by
sentence, each with the numbers of its passages. What that costs at most is said before.`,
		Example: "  kg ask \"how does a lane wake up?\"\n  kg ask --ontology ops --limit 10 what ends a lease\n  kg ask --answer \"how does a lane wake up?\"",
		Args:    cobra.MinimumNArgs(1),
	}
	cmd.Flags().StringVar(&ontology, "ontology", "", "only documents of this ontology")
	cmd.Flags().IntVar(&limit, "limit", questions.DefaultPassages, "how many passages, 1 to 20")
	cmd.Flags().BoolVar(&answer, "answer", false, "have the server's model answer from the passages")
	addEvidence(cmd, &evidence)
	cmd.Flags().BoolVar(&full, "full", false, "show long passages whole")
	cmd.RunE = a.withChecked(func(_ *cobra.Command, args []string) error {
		if err := (questions.Question{Text: strings.Join(args, " "), Ontology: ontology, Limit: limit}).Validate(); err != nil {
			return exit.Usage("%w", err)
		}
		return nil
	}, func(cmd *cobra.Command, c *client.Client, args []string) error {
		question := questions.Question{Text: strings.Join(args, " "), Ontology: ontology, Limit: limit, IncludeEvidence: evidence}
		if answer {
			return a.answer(cmd.Context(), c, question)
		}
		found, err := c.Graph.Ask(cmd.Context(), question)
		if err != nil {
			return fmt.Errorf("ask: %w", err)
		}
		return a.showAnswer("passages", func() { a.printPassages(found, full) })
	})
	return cmd
}

// answered is an answer as a whole, for other programs.
type answered struct {
	*questions.AskAnswer

	Offer     *questions.AnswerOffer     `json:"offer"` // null when no model was called
	Sentences []questions.AnswerSentence `json:"sentences"`
	End       *questions.AnswerEnd       `json:"end"`
}

// answer has the server's model answer, and prints each sentence as it comes.
func (a *App) answer(ctx context.Context, c *client.Client, q questions.Question) error {
	whole := answered{Sentences: []questions.AnswerSentence{}}
	for part, err := range c.Graph.Answer(ctx, q) {
		switch {
		case err != nil:
			return fmt.Errorf("ask: %w", err)
		case part.Found != nil:
			whole.AskAnswer = part.Found
			if len(part.Found.Absent) > 0 {
				a.note("%s", show.OneLine(part.Found.Missing()))
			}
		case part.Offer != nil:
			whole.Offer = part.Offer
			a.note("%s answers, for at most %s (%s and up to %s of answer).", part.Offer.Model, kappa.Dollars(part.Offer.CostAtMost), show.Counted(part.Offer.Input, "token"), show.Number(part.Offer.MostOutput))
		case part.Sentence != nil:
			whole.Sentences = append(whole.Sentences, *part.Sentence)
			if a.output == formatTable {
				fmt.Fprintf(a.out, "%s %s\n", show.OneLine(part.Sentence.Text), citations(part.Sentence.Passages))
			}
		case part.End != nil:
			whole.End = part.End
		}
	}
	if err := a.show(whole, func() { a.printSources(whole) }); err != nil {
		return err
	}
	a.noteEnd(whole.End)
	return nil
}

// noteEnd says what became of an answer.
func (a *App) noteEnd(end *questions.AnswerEnd) {
	if end == nil {
		return
	}
	if end.Dropped > 0 {
		a.note("%s without a source left out", show.Counted(end.Dropped, "sentence"))
	}
	if end.Cut {
		a.note("The answer became too long; its end is missing.")
	}
	if end.Total() > 0 {
		a.note("It cost %s (%s sent, %s answered).", kappa.Dollars(end.Cost), show.Counted(end.Input, "token"), show.Number(end.Output))
	}
}

// printSources prints where the cited passages of an answer stand.
func (a *App) printSources(whole answered) {
	if whole.End == nil || !whole.End.Answered {
		fmt.Fprintln(a.out, "The documents do not answer that.")
		return
	}
	cited := map[int]bool{}
	for _, s := range whole.Sentences {
		for _, n := range s.Passages {
			cited[n] = true
		}
	}
	fmt.Fprintln(a.out)
	for i, passage := range whole.Passages {
		if cited[i+1] {
			fmt.Fprintf(a.out, "[%d] %s\n", i+1, passagePlace(passage))
		}
	}
}

// citations are the numbers of passages as an answer shows them.
func citations(passages []int) string {
	var b strings.Builder
	for _, n := range passages {
		fmt.Fprintf(&b, "[%d]", n)
	}
	return b.String()
}

func (a *App) printPassages(answer questions.AskAnswer, full bool) {
	p := a.paint(a.out)
	if len(answer.Absent) > 0 {
		a.note("%s", show.OneLine(answer.Missing()))
	}
	for i, passage := range answer.Passages {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		fmt.Fprintf(a.out, "%d. %s\n", i+1, p.Bold(passagePlace(passage)))
		for _, line := range readable(passage, full) {
			fmt.Fprintln(a.out, show.Wrap(line, a.Out().Width(), "   ", "   "))
		}
		if len(passage.AlsoIn) > 0 {
			fmt.Fprintf(a.out, "   also in %s\n", show.OneLine(strings.Join(passage.AlsoIn, ", ")))
		}
	}
	// That two concepts are only related says little to a person.
	typed := slices.DeleteFunc(slices.Clone(answer.Relationships), func(r questions.AskRelationship) bool { return r.Type == vocabulary.TypeRelatedTo })
	if len(typed) > 0 {
		fmt.Fprintf(a.out, "\n%s\n", p.Bold("Connected by"))
	}
	for _, r := range typed[:min(len(typed), shownRelationships)] {
		fmt.Fprintf(a.out, "   %s —%s→ %s\n", show.OneLine(r.FromLabel), r.Type, show.OneLine(r.ToLabel))
		a.writeStatements(r.Evidence, "     ")
	}
	switch {
	case len(answer.Passages) == 0:
		a.note("The documents say nothing about that.")
	case !answer.Found && len(answer.Absent) == 0:
		a.note("No passage has most of the words of the question: these may not answer it.")
	}
}

// passagePlace says where a passage stands.
func passagePlace(p questions.AskPassage) string {
	place := show.OneLine(p.Filename)
	if p.Page != nil {
		place += fmt.Sprintf(", page %d", *p.Page)
	}
	if p.Section != nil {
		place += ", " + show.OneLine(*p.Section)
	}
	return place + fmt.Sprintf(", bytes %d–%d (%s)", p.Start, p.End, show.OneLine(p.Document))
}
