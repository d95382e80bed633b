package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus/models"
)

func newProvidersCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "providers",
		Aliases: []string{"provider"},
		Short:   "Show the providers of models, and the calls to them",
		Long: `Show the providers of models: which of them read, embed and describe images, how many
calls run and wait in all servers together, until when a provider is not called
because it limits us or fails, and its last error.`,
		Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			list, err := c.Models.Providers(cmd.Context())
			if err != nil {
				return fmt.Errorf("list providers: %w", err)
			}
			return a.showAnswer("providers", func() { a.writeProviders(list) })
		}),
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "check",
		Short: "Make a small real call of every model that the server uses",
		Long: `Make a small real call of every model that the server uses, and fail unless all
answer.`,
		Example: `  kg admin providers check`,
		Args:    cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			checks, err := c.Models.CheckProviders(cmd.Context())
			if err != nil {
				return fmt.Errorf("check providers: %w", err)
			}
			if err := a.showAnswer("checks", func() { a.writeChecks(checks) }); err != nil {
				return err
			}
			for _, check := range checks {
				if !check.OK {
					return errors.New("not every model answers")
				}
			}
			return nil
		}),
	})
	cmd.AddCommand(newSpendingCommand(a))
	return cmd
}

func newSpendingCommand(a *App) *cobra.Command {
	var days int
	cmd := &cobra.Command{
		Use: "spending", Short: "Show what models have cost", Args: cobra.NoArgs,
		Long:    "Show what the jobs have used of each model that have called one in the last days, as long as\nthey are kept. A job counts with all its calls.",
		Example: "  kg admin providers spending --days 7",
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			spent, err := c.Models.Spending(cmd.Context(), days)
			if err != nil {
				return fmt.Errorf("read what models have cost: %w", err)
			}
			return a.showAnswer("usage", func() {
				g := show.NewGrid(columns("model", "purpose", "calls", "failed", "tokens in", "tokens out", "US dollars")...)
				for _, u := range spent.Usage {
					g.Add(u.Model, u.Purpose, show.Number(u.Calls), show.Number(u.FailedCalls), show.Number(int(u.InputTokens)), show.Number(int(u.OutputTokens)), fmt.Sprintf("%.4f", u.USD))
				}
				a.writeGrid(g, nil)
				fmt.Fprintf(a.out, "$%.4f in %s\n", spent.USD, show.Counted(spent.Days, "day"))
			})
		}),
	}
	cmd.Flags().IntVar(&days, "days", 30, "of jobs that have called a model in the last so many days, 1 to 365")
	return cmd
}

func (a *App) writeProviders(list []models.ProviderStatus) {
	if len(list) == 0 {
		fmt.Fprintln(a.out, "No provider is used: the built-in extractor reads, and the built-in embedding embeds.")
		return
	}
	g := show.NewGrid(show.Column{Name: "provider"}, show.Column{Name: "reads"}, show.Column{Name: "embeds"}, show.Column{Name: "images"}, show.Column{Name: "in flight", Right: true}, show.Column{Name: "waiting", Right: true}, show.Column{Name: "throttled until"}, show.Column{Name: "last error", Flex: true})
	for _, p := range list {
		until := ""
		if p.ThrottledUntil != nil {
			until = p.ThrottledUntil.Local().Format("15:04:05")
		}
		g.Add(p.Name, p.Extraction, p.Embedding, p.Images, fmt.Sprintf("%d/%d", p.InFlight, p.Limits.Calls), show.Number(p.Waiting), until, p.LastError)
	}
	a.writeGrid(g, nil)
}

func (a *App) writeChecks(checks []models.ProviderCheck) {
	if len(checks) == 0 {
		fmt.Fprintln(a.out, "Nothing to check: the server uses no provider.")
		return
	}
	for _, c := range checks {
		what := "reads"
		switch c.Purpose {
		case models.ForEmbedding:
			what = "embeds"
		case models.ForImage:
			what = "describes images"
		}
		if !c.OK {
			fmt.Fprintf(a.out, "✗ %s %s: %s\n", show.OneLine(c.Provider), show.OneLine(c.Model), show.OneLine(c.Error))
			continue
		}
		dimensions := ""
		if c.Dimensions > 0 {
			dimensions = fmt.Sprintf(", %d dimensions", c.Dimensions)
		}
		fmt.Fprintf(a.out, "✓ %s %s %s (%.1f s%s)\n", show.OneLine(c.Provider), show.OneLine(c.Model), what, c.Seconds, dimensions)
	}
}
