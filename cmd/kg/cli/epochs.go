package cli

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge"
)

// NewEpochsCommand returns kg epochs, which says what has changed the graph.
func NewEpochsCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "epochs", Aliases: []string{"epoch"}, Short: "Show what has changed the graph, and when", RunE: onlySubcommands}
	cmd.AddCommand(newEpochsListCommand(a), newEpochsShowCommand(a))
	return cmd
}

func newEpochsListCommand(a *App) *cobra.Command {
	var f knowledge.EpochFilter
	var since time.Duration
	cmd := &cobra.Command{
		Use: "list", Short: "List what has changed the graph, newest first", Long: `List what has changed the graph, newest first: when, what, by whom or which job, and
how many concepts and relationships came and went.`,
		Args:    cobra.NoArgs,
		Example: "  kg epochs list --kind edit --since 24h",
		RunE: a.withChecked(func(*cobra.Command, []string) (err error) {
			if f.Since, err = before(since); err != nil {
				return err
			}
			return misused(f.Validate())
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			page, err := c.Graph.Epochs(cmd.Context(), f)
			if err != nil {
				return fmt.Errorf("list what has changed the graph: %w", err)
			}
			return a.showAnswer("events", func() {
				a.writeEpochs(page.Events)
				if page.Next != nil {
					a.note("The next ones: --before %d", *page.Next)
				}
			})
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Kind, "kind", "", "only of this kind: ingestion, reasoning, breathing or edit")
	flags.StringVar(&f.Actor, "actor", "", "only of the user with this name")
	flags.DurationVar(&since, "since", 0, "only of the last so long, for example 24h")
	flags.Int64Var(&f.Before, "before", 0, "only epochs below this one, to page on")
	flags.IntVar(&f.Limit, "limit", knowledge.DefaultEpochPage, "how many to list at most, 1 to 500")
	completeWith(cmd, "kind", knowledge.EpochIngestion, knowledge.EpochReasoning, knowledge.EpochBreathing, knowledge.EpochEdit)
	return cmd
}

func (a *App) writeEpochs(list []knowledge.Epoch) {
	g := show.NewGrid(show.Column{Name: "epoch", Right: true}, show.Column{Name: "when"}, show.Column{Name: "what"}, show.Column{Name: "who"}, show.Column{Name: "concepts", Right: true}, show.Column{Name: "edges", Right: true}, show.Column{Name: "job"}, show.Column{Name: "object", Flex: true})
	for _, e := range list {
		d := e.Details
		g.Add(strconv.FormatInt(e.Number, 10), e.At.String(), d.Act, e.Actor, cameAndWent(d.ConceptsAdded, d.ConceptsRemoved), cameAndWent(d.EdgesSet, d.EdgesRemoved), d.JobID, d.Object)
	}
	a.writeGrid(g, nil)
}

// cameAndWent shows how many came and went.
func cameAndWent(came, went int) string {
	if went == 0 {
		return "+" + strconv.Itoa(came)
	}
	return fmt.Sprintf("+%d -%d", came, went)
}

func newEpochsShowCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "show EPOCH", Short: "Show one change of the graph", Example: `  kg epochs show 7`, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			number, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return exit.Usage("an epoch is a number, got %q; see kg epochs list", args[0])
			}
			e, err := c.Graph.Epoch(cmd.Context(), number)
			if err != nil {
				return fmt.Errorf("show the epoch: %w", err)
			}
			return a.showAnswer("", func() { a.writeEpochs([]knowledge.Epoch{e}) })
		}),
	}
}

// newConceptsLifetimeCommand returns kg concepts lifetime.
func newConceptsLifetimeCommand(a *App) *cobra.Command {
	limit, offset := 0, 0
	cmd := &cobra.Command{
		Use: "lifetime CONCEPT", Short: "Show how a concept came about, what has shown it since, and what was done to it", Example: `  kg concepts lifetime glacier`, Args: cobra.ExactArgs(1),
		RunE: a.withChecked(func(*cobra.Command, []string) error { return misused(knowledge.CheckLifetimePage(limit, offset)) }, func(cmd *cobra.Command, c *client.Client, args []string) error {
			life, err := c.Concepts.Lifetime(cmd.Context(), args[0], limit, offset)
			if err != nil {
				return fmt.Errorf("show the life of the concept: %w", err)
			}
			return a.showAnswer("", func() { a.writeLifetime(life) })
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", knowledge.DefaultEpochPage, "how many quotes to show at most, 1 to 500")
	cmd.Flags().IntVar(&offset, "offset", 0, "how many of the oldest to leave out, to page on")
	return cmd
}

func (a *App) writeLifetime(life knowledge.ConceptLifetime) {
	fmt.Fprintf(a.out, "%s  %s  %s\n", show.OneLine(life.ConceptID), show.OneLine(life.Label), life.State)
	if life.MergedInto != nil {
		fmt.Fprintf(a.out, "merged into %s\n", show.OneLine(*life.MergedInto))
	}
	if life.CreatedAt != nil {
		fmt.Fprintf(a.out, "made %s (%s); %s in %s\n", life.CreatedAt, life.CreatedBy, show.Counted(life.Total, "quote"), show.Counted(life.Documents, "document"))
	}
	for _, c := range life.Changes {
		other := ""
		if c.Other != "" {
			other = " " + c.Other + " " + c.Label
		}
		fmt.Fprintf(a.out, "%s  %s%s  %s\n", c.At, c.Act, show.OneLine(other), show.OneLine(c.By))
	}
	if len(life.Quotes) == 0 {
		return
	}
	fmt.Fprintln(a.out)
	g := show.NewGrid(show.Column{Name: "epoch", Right: true}, show.Column{Name: "when"}, show.Column{Name: "document"}, show.Column{Name: "quote", Flex: true})
	for _, q := range life.Quotes {
		epoch := ""
		if q.Epoch != nil {
			epoch = strconv.FormatInt(*q.Epoch, 10)
		}
		g.Add(epoch, q.At.String(), q.Filename, q.Quote)
	}
	a.writeGrid(g, nil)
	if life.HasMore {
		a.note("%s more; the next ones: --offset %d", show.Number(life.Total-life.Offset-life.Returned), life.Offset+life.Returned)
	}
}
