package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
)

func newHealthCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "health",
		Short: "Show whether the server is well; needs no login",
		Args:  cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			health, err := c.Health(cmd.Context())
			if err != nil {
				return fmt.Errorf("ask for its health: %w", err)
			}
			err = a.showAnswer("", func() {
				p := a.paint(a.out)
				fmt.Fprintf(a.out, "%s: %s\n", c.BaseURL(), p.well(health.Status))
				for _, name := range slices.Sorted(maps.Keys(health.Components)) {
					component := health.Components[name]
					fmt.Fprintf(a.out, "  %s  %s  %s\n", pad(oneLine(name), 10), p.well(component.Status), oneLine(component.Error))
				}
			})
			if err == nil && health.Status != "healthy" {
				return errors.New("the server is " + health.Status)
			}
			return err
		}),
	}
}

// well colours a word that is "healthy" or worse.
func (p paint) well(status string) string {
	if status == "healthy" {
		return p.green(status)
	}
	return p.red(oneLine(status))
}
