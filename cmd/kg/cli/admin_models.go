package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus/models"
)

// newModelsCommand returns kg admin models, which shows and sets which models are used.
func newModelsCommand(a *App) *cobra.Command {
	list := a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
		in, err := c.Models.InUse(cmd.Context())
		if err != nil {
			return fmt.Errorf("read which models are used: %w", err)
		}
		return a.showAnswer("", func() { a.writeModels(in) })
	})
	cmd := &cobra.Command{
		Use: "models", Aliases: []string{"model"},
		Short: "Show and set which models read, embed and describe images, without a restart",
		Long: `Show which models are used on every server, and set them, the limits and prices of their
providers, and their keys. A model is tried with one call before it is taken. What the
environment of a server sets wins there, and is shown as fixed.`,
		Args: cobra.NoArgs, RunE: list,
	}
	cmd.AddCommand(
		&cobra.Command{Use: "list", Short: "Show which models are used, and how their providers are reached", Example: `  kg admin models list`, Args: cobra.NoArgs, RunE: list},
		newModelsSetCommand(a), newModelsResetCommand(a), newModelsTryCommand(a), newModelsProviderCommand(a), newModelsLimitCommand(a), newModelsPriceCommand(a), newModelsKeysCommand(a),
	)
	return cmd
}

func newModelsSetCommand(a *App) *cobra.Command {
	var m client.NewModel
	cmd := &cobra.Command{
		Use:   "set extraction|embedding|vision PROVIDER [MODEL]",
		Short: "Try a model and use it on every server",
		Long: `Try a model with one call, and use it on every server from then on: for reading documents
(extraction), for embedding concepts, or for describing images (vision). Documents that are
being read are read to their end by the model that they began with. A model that embeds, and
is not the one of the graph, is taken with --reembed only: a job then embeds every concept
anew, and documents wait for it.`,
		Example: "  kg admin models set extraction openai gpt-4.1-mini\n  kg admin models set embedding ollama nomic-embed-text --reembed\n  kg admin models set vision off",
		Args:    cobra.RangeArgs(2, 3),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			m.Provider = args[1]
			if len(args) > 2 {
				m.Model = args[2]
			}
			set, err := c.Models.Set(cmd.Context(), models.Slot(args[0]), m)
			if err != nil {
				return fmt.Errorf("set the model of %s: %w", args[0], err)
			}
			return a.showAnswer("", func() { a.writeModelSet(set) })
		}),
	}
	cmd.Flags().IntVar(&m.MaxTokens, "max-tokens", 0, "the longest answer of a model that reads, 256 to 65536 tokens; 0 is as many as the server asks for")
	cmd.Flags().BoolVar(&m.Reembed, "reembed", false, "have the graph embedded anew if it is with another model")
	return cmd
}

func newModelsResetCommand(a *App) *cobra.Command {
	var reembed bool
	cmd := &cobra.Command{
		Use: "reset extraction|embedding|vision", Short: "Use what the environment of the servers says, or the default", Example: `  kg admin models reset extraction`,
		Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			set, err := c.Models.Reset(cmd.Context(), models.Slot(args[0]), reembed)
			if err != nil {
				return fmt.Errorf("reset the model of %s: %w", args[0], err)
			}
			return a.showAnswer("", func() { a.writeModelSet(set) })
		}),
	}
	cmd.Flags().BoolVar(&reembed, "reembed", false, "have the graph embedded anew if it is with another model")
	return cmd
}

func newModelsTryCommand(a *App) *cobra.Command {
	var address string
	cmd := &cobra.Command{
		Use: "try extraction|embedding|vision PROVIDER [MODEL]", Short: "Make one call of a model, and change nothing",
		Example: "  kg admin models try extraction anthropic claude-haiku-4-5",
		Args:    cobra.RangeArgs(2, 3),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			t := models.Trial{Slot: models.Slot(args[0]), Provider: args[1], URL: address}
			if len(args) > 2 {
				t.Model = args[2]
			}
			checked, err := c.Models.Try(cmd.Context(), t)
			if err != nil {
				return fmt.Errorf("try a model of %s: %w", args[1], err)
			}
			if err := a.showAnswer("", func() { a.writeChecks([]models.ProviderCheck{checked}) }); err != nil {
				return err
			}
			if !checked.OK {
				return errors.New("the model does not answer")
			}
			return nil
		}),
	}
	cmd.Flags().StringVar(&address, "url", "", "where the provider is reached; the server's key is sent to no other address than its own")
	return cmd
}

func newModelsProviderCommand(a *App) *cobra.Command {
	var address string
	var context, calls, requests, tokens int
	cmd := &cobra.Command{
		Use: "provider PROVIDER", Short: "Set how a provider is reached and limited, on every server",
		Example: "  kg admin models provider ollama --url http://10.0.0.7:11434 --calls 2",
		Args:    cobra.ExactArgs(1),
	}
	flags := cmd.Flags()
	flags.StringVar(&address, "url", "", "where its API is")
	flags.IntVar(&context, "context", 0, "the longest context that ollama is asked for, in tokens")
	flags.IntVar(&calls, "calls", 0, "calls at once, of all servers together")
	flags.IntVar(&requests, "requests-per-minute", 0, "calls in a minute; 0 sets no limit")
	flags.IntVar(&tokens, "tokens-per-minute", 0, "tokens in a minute; 0 sets no limit")
	cmd.RunE = a.withChecked(func(cmd *cobra.Command, _ []string) error {
		if !slices.ContainsFunc([]string{"url", "context", "calls", "requests-per-minute", "tokens-per-minute"}, cmd.Flags().Changed) {
			return exit.Usage("nothing to set: give --url, --context, --calls, --requests-per-minute or --tokens-per-minute")
		}
		return nil
	}, func(cmd *cobra.Command, c *client.Client, args []string) error {
		var change models.ProviderChange
		if flags.Changed("url") {
			change.URL = &address
		}
		for name, n := range map[string]struct {
			to   **int
			from *int
		}{"context": {&change.Context, &context}, "calls": {&change.Calls, &calls}, "requests-per-minute": {&change.RequestsPerMinute, &requests}, "tokens-per-minute": {&change.TokensPerMinute, &tokens}} {
			if flags.Changed(name) {
				*n.to = n.from
			}
		}
		is, err := c.Models.SetProvider(cmd.Context(), args[0], change)
		if err != nil {
			return fmt.Errorf("set %s: %w", args[0], err)
		}
		return a.showAnswer("", func() { fmt.Fprintf(a.out, "%s  %s\n", show.OneLine(args[0]), describeProvider(is)) })
	})
	return cmd
}

func newModelsLimitCommand(a *App) *cobra.Command {
	var most int
	cmd := &cobra.Command{
		Use: "limit", Short: "Set how many calls to all providers run at once", Args: cobra.NoArgs, Example: "  kg admin models limit --calls 16",
		RunE: a.withChecked(func(*cobra.Command, []string) error {
			if most == 0 {
				return exit.Usage("--calls must be given, 1 to 1000")
			}
			return nil
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			in, err := c.Models.SetCalls(cmd.Context(), most)
			if err != nil {
				return fmt.Errorf("set how many calls run at once: %w", err)
			}
			return a.showAnswer("", func() { fmt.Fprintf(a.out, "up to %d calls run at once\n", in.MaxCalls) })
		}),
	}
	cmd.Flags().IntVar(&most, "calls", 0, "calls at once, of all servers together, 1 to 1000")
	return cmd
}

func newModelsPriceCommand(a *App) *cobra.Command {
	var p models.Price
	var remove bool
	cmd := &cobra.Command{
		Use: "price PROVIDER [MODEL]", Short: "Set what a model costs, in US dollars for a million tokens",
		Long: `Set what a model costs, for estimates and for what jobs have cost: the price counts for every
model whose name begins so, unless a longer name has one. Without MODEL it is the price of
every other model of the provider.`,
		Example: "  kg admin models price openai gpt-4.1-mini --input 0.4 --output 1.6",
		Args:    cobra.RangeArgs(1, 2),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			p.Provider = args[0]
			if len(args) > 1 {
				p.Model = args[1]
			}
			if remove {
				if err := c.Models.DeletePrice(cmd.Context(), p.Provider, p.Model); err != nil {
					return fmt.Errorf("delete the price: %w", err)
				}
				a.note("The price is as it was before one was set.")
				return nil
			}
			if err := c.Models.SetPrice(cmd.Context(), p); err != nil {
				return fmt.Errorf("set the price: %w", err)
			}
			return a.showAnswer("", func() {
				fmt.Fprintf(a.out, "%s/%s costs $%g for a million tokens that are sent, $%g for those of answers\n", show.OneLine(p.Provider), show.OneLine(p.Model), p.Input, p.Output)
			})
		}),
	}
	cmd.Flags().Float64Var(&p.Input, "input", 0, "US dollars for a million tokens that are sent")
	cmd.Flags().Float64Var(&p.Output, "output", 0, "US dollars for a million tokens of answers")
	cmd.Flags().BoolVar(&remove, "delete", false, "delete the price that was set")
	return cmd
}

func (a *App) writeModelSet(set api.ModelSet) {
	fmt.Fprintf(a.out, "%s  %s, on every server\n", set.Slot, show.OneLine(slotModel(set.SlotInUse)))
	if set.JobID != "" {
		fmt.Fprintf(a.out, "%s embeds the graph anew; documents wait for it\n", show.OneLine(set.JobID))
		a.note("Watch with: kg jobs watch %s", set.JobID)
	}
}

// slotModel names the model of a slot.
func slotModel(is models.SlotInUse) string {
	switch {
	case is.Provider == "":
		return "nobody"
	case is.Model == "":
		return is.Provider
	}
	return is.Provider + " " + is.Model
}

func (a *App) writeModels(in models.InUse) {
	g := show.NewGrid(columns("for", "provider", "model", "config", "fixed by")...)
	for _, slot := range models.Slots() {
		is := in.Slots[slot]
		config := ""
		if is.ConfigID != 0 {
			config = fmt.Sprint(is.ConfigID)
		}
		g.Add(string(slot), is.Provider, is.Model, config, fixedBy(is.Fixed))
	}
	a.writeGrid(g, nil)
	fmt.Fprintln(a.out)
	g = show.NewGrid(columns("provider", "reached at", "fixed by")...)
	for _, name := range slices.Sorted(maps.Keys(in.Providers)) {
		p := in.Providers[name]
		g.Add(name, describeProvider(p), fixedBy(p.Fixed))
	}
	a.writeGrid(g, nil)
	fmt.Fprintf(a.out, "\nup to %d calls to all providers run at once\n", in.MaxCalls)
	for _, p := range in.Prices {
		fmt.Fprintf(a.out, "%s/%s costs $%g and $%g for a million tokens, as was set\n", show.OneLine(p.Provider), show.OneLine(p.Model), p.Input, p.Output)
	}
}

// describeProvider says how a provider is reached and limited.
func describeProvider(p models.ProviderInUse) string {
	text := fmt.Sprintf("%s, %d calls at once", show.OneLine(p.URL), p.Calls)
	if p.RequestsPerMinute > 0 {
		text += fmt.Sprintf(", %d a minute", p.RequestsPerMinute)
	}
	if p.TokensPerMinute > 0 {
		text += fmt.Sprintf(", %d tokens a minute", p.TokensPerMinute)
	}
	if p.Context > 0 {
		text += fmt.Sprintf(", a context of %d tokens", p.Context)
	}
	return text
}

func fixedBy(fixed map[string]string) string {
	return strings.Join(slices.Sorted(maps.Values(fixed)), " ")
}
