package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

// NewHealthCommand returns kg health, which needs no login.
func NewHealthCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "health",
		Short: "Show whether the server is healthy; needs no login",
		Long: `Say whether the server is well. It needs no login; the exit code is 1 when the
server is not well, and 5 when it does not answer.`,
		Example: `  kg health`,
		Args:    cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			health, err := c.Health(cmd.Context())
			if err != nil {
				return fmt.Errorf("ask for its health: %w", err)
			}
			err = a.showAnswer("", func() {
				p := a.paint(a.out)
				fmt.Fprintf(a.out, "%s: %s\n", c.BaseURL(), paintHealth(p, health.Status))
				for _, name := range slices.Sorted(maps.Keys(health.Components)) {
					component := health.Components[name]
					fmt.Fprintf(a.out, "  %s  %s  %s\n", show.Pad(show.OneLine(name), 10), paintHealth(p, component.Status), show.OneLine(component.Error))
				}
			})
			if err == nil && health.Status != "healthy" {
				return errors.New("the server is " + health.Status)
			}
			return err
		}),
	}
}

// paintHealth colours a word that is "healthy" or worse.
func paintHealth(p show.Paint, status string) string {
	if status == "healthy" {
		return p.Green(status)
	}
	return p.Red(show.OneLine(status))
}
