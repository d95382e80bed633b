package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// NewFindCommand returns kg find.
func NewFindCommand(a *App) *cobra.Command {
	var q questions.FindQuery
	var filter passageFlags
	var all bool
	cmd := &cobra.Command{
		Use:   "find WORDS",
		Short: "Find the concepts, documents and passages that have some words",
		Long: `Find the concepts, documents and passages that have some words, in one search, best first:
what has all of them, one after the other, comes before what has them in other places or
forms, and that before what has only some. The counts below say what would narrow it down.
To ask a question, use kg ask.`,
		Example: "  kg find worker lane\n  kg find --only document --kind pdf lease\n  kg find --class code -- --limit",
		Args:    cobra.MinimumNArgs(1),
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&q.Find, "only", nil, "only these: "+strings.Join(questions.FoundKinds(), ", "))
	filter.add(flags)
	flags.BoolVar(&q.Typing, "typing", false, "the last word may be the beginning of one")
	flags.BoolVar(&q.Exact, "exact", false, "take no word for a slip of another")
	flags.IntVar(&q.Limit, "limit", questions.DefaultFound, "how many, 1 to 100")
	flags.StringVar(&q.Cursor, "cursor", "", "where the page before ended, as its last line says")
	flags.BoolVar(&all, "all", false, "all pages")
	cmd.RunE = a.withChecked(func(_ *cobra.Command, args []string) (err error) {
		q.Text = strings.Join(args, " ")
		if q.AskFilter, err = filter.read(); err != nil {
			return exit.Usage("%w", err)
		}
		return misused(q.Validate())
	}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
		if all {
			hits, err := collect(c.Graph.AllFound(cmd.Context(), q))
			if err != nil {
				return fmt.Errorf("find: %w", err)
			}
			return a.show(hits, func() { a.writeFoundHits(hits) })
		}
		found, err := c.Graph.Find(cmd.Context(), q)
		if err != nil {
			return fmt.Errorf("find: %w", err)
		}
		return a.showAnswer("hits", func() { a.writeFound(found) })
	})
	return cmd
}

// writeFound draws what was found, and what would narrow it down.
func (a *App) writeFound(found questions.FindAnswer) {
	for _, m := range found.Mended {
		a.note("%q stands in no document; %q was looked for.", show.OneLine(m.Written), show.OneLine(m.TakenAs))
	}
	if len(found.Hits) == 0 {
		a.note("Nothing has these words.")
		return
	}
	a.writeFoundHits(found.Hits)
	fmt.Fprintln(a.out)
	for _, f := range []struct {
		name   string
		counts []questions.FacetCount
	}{
		{"--only", found.Facets.Find},
		{"--ontology", found.Facets.Ontologies},
		{"--kind", found.Facets.Kinds},
		{"--language", found.Facets.Languages},
		{"--class", found.Facets.Classes},
	} {
		if len(f.counts) > 1 || f.name == "--only" {
			fmt.Fprintln(a.out, a.paint(a.out).Dim(show.Wrap(counts(f.counts), a.Out().Width(), f.name+": ", strings.Repeat(" ", len(f.name)+2))))
		}
	}
	if found.AtLeast {
		a.note("There are more passages than are ranked: more words narrow them down.")
	}
	if found.Next != nil {
		a.note("%d of %d; go on with --cursor %s", found.Count, found.Total, *found.Next)
	}
}

// counts are the values of a facet, as "prose 12, code 3".
func counts(all []questions.FacetCount) string {
	const most = 12
	parts := make([]string, 0, most)
	for _, c := range all[:min(len(all), most)] {
		parts = append(parts, fmt.Sprintf("%s %s", show.OneLine(c.Value), show.Number(c.Count)))
	}
	if len(all) > most {
		parts = append(parts, fmt.Sprintf("and %d more", len(all)-most))
	}
	return strings.Join(parts, ", ")
}

// writeFoundHits draws hits, each with what it is.
func (a *App) writeFoundHits(hits []questions.FoundHit) {
	p := a.paint(a.out)
	for _, h := range hits {
		switch h.Kind {
		case questions.FoundConcept:
			fmt.Fprintf(a.out, "%s  %s  %s\n", p.Dim("concept "), p.Bold(show.OneLine(h.Text)), p.Dim(h.Concept.ConceptID))
		case questions.FoundDocument:
			fmt.Fprintf(a.out, "%s  %s  %s\n", p.Dim("document"), p.Bold(show.OneLine(h.Text)), p.Dim(documentLine(*h.Document)))
		case questions.FoundPassage:
			fmt.Fprintf(a.out, "%s  %s\n", p.Dim("passage "), p.Dim(foundPlace(h)))
			fmt.Fprintln(a.out, show.Wrap(around(h), a.Out().Width(), "          ", "          "))
		}
	}
}

func documentLine(d questions.DocumentFound) string {
	line := show.Counted(d.Passages, "passage") + " (" + show.OneLine(d.Ontology) + ")"
	if d.Title != nil {
		line = show.OneLine(*d.Title) + ", " + line
	}
	return line
}

// foundPlace says where a passage stands.
func foundPlace(h questions.FoundHit) string {
	place := show.OneLine(h.Document.Filename)
	if h.Passage.Page != nil {
		place += fmt.Sprintf(", page %d", *h.Passage.Page)
	}
	if h.Passage.Section != nil {
		place += ", " + show.OneLine(*h.Passage.Section)
	}
	return place + fmt.Sprintf(", bytes %d–%d (%s)", h.Passage.Start, h.Passage.End, show.OneLine(h.Document.Ontology))
}

// around is the part of a passage around the first of its highlights.
func around(h questions.FoundHit) string {
	const before, most = 60, 240 // characters
	text, from := []rune(h.Text), 0
	if len(h.Highlights) > 0 {
		from = max(0, h.Highlights[0].StartChar-before)
	}
	for from > 0 && text[from-1] != ' ' && text[from-1] != '\n' && from < len(text)-1 {
		from--
	}
	to := min(len(text), from+most)
	shown := unlinked(show.OneLine(string(text[from:to])))
	if from > 0 {
		shown = "… " + shown
	}
	if to < len(text) {
		shown += " …"
	}
	return shown
}
