package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
)

func newAdminCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "admin", Short: "See and steer the lanes", RunE: onlySubcommands}
	cmd.AddCommand(newWorkersCommand(a))
	return cmd
}

func newWorkersCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "workers",
		Aliases: []string{"worker"},
		Short:   "Show the slots, the lanes, and what runs and waits",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			defer c.Close()
			var lanes []kappa.LaneUsage
			if a.output == formatTable {
				if lanes, err = c.Lanes(cmd.Context()); err != nil {
					return fmt.Errorf("list lanes: %w", err)
				}
			}
			status, err := c.WorkerStatus(cmd.Context())
			if err != nil {
				return fmt.Errorf("read the workers' status: %w", err)
			}
			return a.showAnswer("", func() { a.writeWorkers(status, lanes) })
		},
	}
	cmd.AddCommand(newLanesCommand(a))
	return cmd
}
