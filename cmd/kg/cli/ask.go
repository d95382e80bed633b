package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// shownRelationships is how many of an answer's a table shows; JSON has all.
const shownRelationships = 8

// NewAskCommand returns kg ask.
func NewAskCommand(a *App) *cobra.Command {
	var f askFlags
	cmd := &cobra.Command{
		Use:   "ask QUESTION",
		Short: "Ask a question: the passages that answer it, with their sources",
		Long: `kg ask finds the passages of the documents that answer a question, best first: the
sentence that answers, where it stands, and the passage around it; then the relationships
that the passages state. It needs no model. It says first which words of the question stand
in no document, which were taken for slips of others (--exact takes none), and when what is
shown is the nearest and probably not an answer.
Rows of tables are shown with the names of their columns, and long passages are cut unless
--full is given; -o json has the text as it stands.

With --answer the server's model (KG_EXTRACTOR) answers from those passages, sentence by
sentence, each with the numbers of its passages. What that costs at most is said before,
and with --offer that is all that is done.`,
		Example: "  kg ask \"how does a lane wake up?\"\n  kg ask --ontology ops --limit 10 what ends a lease\n  kg ask --thread \"what is a lease?\" \"and how long is it?\"\n  kg ask --answer \"how does a lane wake up?\"",
		Args:    cobra.MinimumNArgs(1),
	}
	f.add(cmd)
	cmd.RunE = a.withChecked(func(_ *cobra.Command, args []string) error {
		q, err := f.question(args)
		if err == nil {
			err = q.Validate()
		}
		if err != nil {
			return exit.Usage("%w", err)
		}
		return nil
	}, func(cmd *cobra.Command, c *client.Client, args []string) error {
		question, err := f.question(args)
		if err != nil {
			return exit.Usage("%w", err)
		}
		if f.answer {
			return a.answer(cmd.Context(), c, question)
		}
		found, err := c.Graph.Ask(cmd.Context(), question)
		if err != nil {
			return fmt.Errorf("ask: %w", err)
		}
		return a.showAnswer("passages", func() { a.printPassages(found, question.Offset, f.full) })
	})
	return cmd
}

// askFlags are the flags of kg ask.
type askFlags struct {
	filter                                 passageFlags
	thread                                 []string
	limit, offset                          int
	answer, full, exact, explain, evidence bool
	offer, plain                           bool
	asOf                                   string
}

func (f *askFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	f.filter.add(flags)
	flags.StringArrayVar(&f.thread, "thread", nil, "a question before this one, whose subject it carries on; the last one last")
	flags.StringVar(&f.asOf, "as-of", "", "answer from what stood then: 2026-01-31T08:00:00Z, a day, an age such as 7d, or the number of an epoch")
	flags.BoolVar(&f.exact, "exact", false, "take no word for a slip of another")
	flags.IntVar(&f.limit, "limit", questions.DefaultPassages, "how many passages, 1 to 20")
	flags.IntVar(&f.offset, "offset", 0, "passages to leave out before them")
	flags.BoolVar(&f.answer, "answer", false, "have the server's model answer from the passages")
	flags.BoolVar(&f.offer, "offer", false, "with --answer: say what the answer would cost at most, and call no model for it")
	flags.BoolVar(&f.plain, "no-rerank", false, "do not have the server's reranker revise the order")
	addEvidence(cmd, &f.evidence)
	flags.BoolVar(&f.full, "full", false, "show long passages whole")
	flags.BoolVar(&f.explain, "explain", false, "with -o json: show what each feature of the ranking gives each passage")
}

// question is what is asked.
func (f *askFlags) question(args []string) (questions.Question, error) {
	filter, err := f.filter.read()
	var at corpus.AsOf
	if err == nil {
		at, err = asOfMoment(f.asOf)
	}
	return questions.Question{
		AsOf: at.String(),
		Text: strings.Join(args, " "), Limit: f.limit, Offset: f.offset, AskFilter: filter, Thread: f.thread,
		Exact: f.exact, IncludeEvidence: f.evidence, Explain: f.explain, Plain: f.plain, OfferOnly: f.offer,
	}, err
}

// asOfMoment reads a moment, a day, an age or an epoch; "" is now.
func asOfMoment(text string) (corpus.AsOf, error) {
	at, err := corpus.ParseAsOf(text)
	if err == nil {
		return at, nil
	}
	if at.At, err = sinceTime(text); err != nil {
		return at, exit.Usage("--as-of %s: neither a time, a day such as 2026-01-31, an age such as 7d, nor the number of an epoch", text)
	}
	return at, nil
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
			for _, remark := range part.Found.Remarks() {
				a.note("%s", show.OneLine(remark))
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
	if err := a.show(whole, func() {
		if !q.OfferOnly {
			a.printSources(whole)
		}
	}); err != nil {
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

// printPassages prints passages: the sentence that answers before where it stands, and the
// passage around it when that says more.
func (a *App) printPassages(answer questions.AskAnswer, offset int, full bool) {
	p := a.paint(a.out)
	for _, remark := range answer.Remarks() {
		a.note("%s", show.OneLine(remark))
	}
	for i, passage := range answer.Passages {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		number := fmt.Sprintf("%d. ", offset+i+1)
		margin := strings.Repeat(" ", len(number))
		lines := readable(passage, full)
		if sentence := firstSentence(passage, lines); sentence != "" {
			fmt.Fprintln(a.out, p.Bold(show.Wrap(sentence, a.Out().Width(), number, margin)))
			fmt.Fprintln(a.out, margin+p.Dim(passagePlace(passage)))
			if len(lines) == 1 && lines[0] == sentence {
				lines = nil
			}
		} else {
			fmt.Fprintln(a.out, number+p.Bold(passagePlace(passage)))
		}
		for _, line := range lines {
			fmt.Fprintln(a.out, show.Wrap(line, a.Out().Width(), margin, margin))
		}
		if len(passage.AlsoIn) > 0 {
			fmt.Fprintf(a.out, "%salso in %s\n", margin, show.OneLine(strings.Join(passage.AlsoIn, ", ")))
		}
	}
	a.printListing(answer.Listing, full)
	a.printPaths(answer.Paths)
	a.printConnections(answer.Relationships)
	switch {
	case len(answer.Passages) == 0:
		a.note("The documents say nothing about that.")
	case answer.More:
		a.note("More: --offset %d", offset+len(answer.Passages))
	}
}

// firstSentence is the sentence that answers as a person reads it; "" in code and in rows of a
// table, which have none.
func firstSentence(p questions.AskPassage, lines []string) string {
	if p.Sentence == nil || p.Class == string(corpus.ClassCode) || p.Class == string(corpus.ClassTable) || len(lines) == 0 {
		return ""
	}
	return unlinked(show.OneLine(p.Sentence.Text))
}

// printConnections prints the relationships that say how two concepts are connected: that
// they are only related says little to a person.
func (a *App) printConnections(all []questions.AskRelationship) {
	typed := slices.DeleteFunc(slices.Clone(all), func(r questions.AskRelationship) bool { return r.Type == vocabulary.TypeRelatedTo })
	if len(typed) > 0 {
		fmt.Fprintf(a.out, "\n%s\n", a.paint(a.out).Bold("Connected by"))
	}
	for _, r := range typed[:min(len(typed), shownRelationships)] {
		fmt.Fprintf(a.out, "   %s —%s→ %s\n", show.OneLine(r.FromLabel), r.Type, show.OneLine(r.ToLabel))
		a.writeStatements(r.Evidence, "     ")
	}
}

// passagePlace says where a passage stands.
func passagePlace(p questions.AskPassage) string {
	place := show.OneLine(cmp.Or(p.Name, p.Filename))
	if p.Page != nil {
		place += fmt.Sprintf(", page %d", *p.Page)
	}
	if p.Section != nil {
		place += ", " + show.OneLine(*p.Section)
	}
	return place + fmt.Sprintf(", bytes %d–%d (%s)", p.Start, p.End, show.OneLine(p.Document))
}
