package cli

import (
	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/cmd/kg/top"
)

// NewTopCommand returns kg top.
func NewTopCommand(a *App) *cobra.Command {
	var filter, order string
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Watch lanes, jobs and rates on the whole terminal; open and cancel jobs",
		Long: `Watch lanes, jobs and rates on the whole terminal, as they change: nothing is polled. Jobs
that have ended are shown for 15 seconds more. A lost server is tried again until it is
back. ? shows the keys. Lanes are shown to who may see them.`,
		Example: "  kg top\n  kg top --sort oldest --filter 'ingestion failed'",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&order, "sort", top.Orders()[0], "sort jobs by status, oldest, progress, type or owner")
	cmd.Flags().StringVar(&filter, "filter", "", "show the jobs only whose line has these words")
	completeWith(cmd, "sort", top.Orders()...)
	cmd.RunE = a.withChecked(func(*cobra.Command, []string) error {
		if err := top.CheckOrder(order); err != nil {
			return exit.Usage("--sort: %w", err)
		}
		if !a.Out().Live() || !show.IsTerminal(a.in) {
			return exit.Usage("kg top needs a terminal; elsewhere use: kg admin workers --watch, or kg jobs list")
		}
		return nil
	}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
		return top.Run(cmd.Context(), top.Config{Server: c.Jobs, Name: c.BaseURL(), In: a.in, Screen: a.Out(), Order: order, Filter: filter})
	})
	return cmd
}
