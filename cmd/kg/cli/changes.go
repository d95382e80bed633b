package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge"
)

// NewChangesCommand returns kg changes, which says what the graph has gained and lost.
func NewChangesCommand(a *App) *cobra.Command {
	q := knowledge.ChangesQuery{}
	cmd := &cobra.Command{
		Use: "changes", Short: "List what the graph has gained and lost since a moment", Args: cobra.NoArgs,
		Long: `List the documents, concepts and relationships that the graph has gained and lost
since a time (2026-01-31T08:00:00Z, or 24h for the last so long), an epoch (kg epochs
list) or a job. What was lost is named as far as versions of documents are kept; what
went with a document that was deleted is counted.`,
		Example: "  kg changes --since 24h\n  kg changes --since 2026-01-31T08:00:00Z --ontology handbook",
	}
	cmd.Flags().StringVar(&q.Since, "since", "", "a time, how long ago, the number of an epoch, or the id of a job")
	cmd.Flags().StringVar(&q.Ontology, "ontology", "", "only of this ontology")
	cmd.Flags().IntVar(&q.Limit, "limit", knowledge.DefaultChanges, "of each list, 1 to 1000")
	cmd.Flags().IntVar(&q.Offset, "offset", 0, "leave out this many of each list")
	cmd.RunE = a.withChecked(func(*cobra.Command, []string) error {
		if q.Since == "" {
			return exit.Usage("say since when: --since 24h, a time, an epoch or a job")
		}
		since := q.Since
		if at, err := sinceTime(since); err == nil {
			q.Since = kappa.At(at).String()
		}
		if err := q.Validate(); err != nil && q.Since == since {
			return exit.Usage("--since %s: neither a time, a day such as 2026-01-31, an age such as 7d, the number of an epoch, nor the id of a job", since)
		}
		return misused(q.Validate())
	}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
		changes, err := c.Graph.Changes(cmd.Context(), q)
		if err != nil {
			return fmt.Errorf("list what has changed: %w", err)
		}
		return a.showAnswer("", func() { a.writeGraphChanges(changes) })
	})
	return cmd
}

// writeGraphChanges shows what came and went, a line each.
func (a *App) writeGraphChanges(c knowledge.Changes) {
	paint := a.paint(a.out)
	fmt.Fprintf(a.out, "%s %s, epoch %d now\n", paint.Bold("Since"), c.Since, c.Epoch)
	fmt.Fprintf(a.out, "\n%s: %s\n", paint.Bold("Documents"), gained(c.Documents.GainedTotal))
	for _, d := range c.Documents.Gained {
		before := ""
		if d.Before != nil {
			before = fmt.Sprintf(", in place of version %d", *d.Before)
		}
		fmt.Fprintf(a.out, "  + %s in %s, version %d%s\n", show.OneLine(d.Filename), show.OneLine(d.Ontology), d.Version, before)
	}
	for _, d := range c.Documents.Lost {
		fmt.Fprintf(a.out, "  - %s, taken out\n", shortHash(d.DocumentID))
	}
	fmt.Fprintf(a.out, "\n%s: %s, %d lost\n", paint.Bold("Concepts"), gained(c.Concepts.GainedTotal), c.Concepts.LostTotal)
	for _, x := range c.Concepts.Gained {
		fmt.Fprintf(a.out, "  + %s\n", show.OneLine(x.Label))
	}
	for _, x := range c.Concepts.Lost {
		if x.MergedInto != nil {
			fmt.Fprintf(a.out, "  - %s, a part of %s now\n", show.OneLine(x.Label), *x.MergedInto)
		} else {
			fmt.Fprintf(a.out, "  - %s, of %s\n", show.OneLine(x.Label), show.OneLine(x.Filename))
		}
	}
	fmt.Fprintf(a.out, "\n%s: %s, %d lost\n", paint.Bold("Relationships"), gained(c.Relationships.GainedTotal), c.Relationships.LostTotal)
	for _, e := range c.Relationships.Gained {
		fmt.Fprintf(a.out, "  + %s %s %s\n", show.OneLine(e.FromLabel), e.Type, show.OneLine(e.ToLabel))
	}
	for _, e := range c.Relationships.Lost {
		fmt.Fprintf(a.out, "  - %s %s %s\n", show.OneLine(e.FromLabel), e.Type, show.OneLine(e.ToLabel))
	}
	if c.HasMore {
		a.note("There are more; the next ones: --offset %d", c.Offset+c.Limit)
	}
}
