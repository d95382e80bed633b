package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
)

func newSearchThresholdCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "search-threshold [SIMILARITY]",
		Short: "Show, or set, from which similarity on searches show concepts",
		Example: `  kg admin search-threshold
  kg admin search-threshold 0.5`,
		Long: `Show from which similarity on, 0 to 1, a search shows concepts unless it says
otherwise; with a number, set it. It holds on every server within a second.`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			if len(args) == 1 {
				return a.setSearchThreshold(cmd, c, args[0])
			}
			t, err := c.GraphAdmin.SearchThreshold(cmd.Context())
			if err != nil {
				return fmt.Errorf("read the threshold of searches: %w", err)
			}
			return a.showAnswer("", func() {
				how := "the default"
				if t.Threshold != nil {
					how = "set; the default is " + similarity(t.Fallback)
				}
				fmt.Fprintf(a.out, "%s (%s)\n", similarity(t.InForce()), how)
			})
		}),
	}
}

func (a *App) setSearchThreshold(cmd *cobra.Command, c *client.Client, text string) error {
	threshold, err := strconv.ParseFloat(text, 64)
	if err != nil || !(threshold >= 0 && threshold <= 1) {
		return exit.Usage("the similarity must be a number from 0 to 1, got %q", text)
	}
	set, err := c.GraphAdmin.SetSearchThreshold(cmd.Context(), threshold)
	if err != nil {
		return fmt.Errorf("set the threshold of searches: %w", err)
	}
	return a.showAnswer("", func() { fmt.Fprintf(a.out, "searches show concepts from %s on\n", similarity(set)) })
}

// similarity shows a similarity in full.
func similarity(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
