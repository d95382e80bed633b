package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
)

func newSchedulerCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "scheduler", Short: "See the cleanup, or have it done now", RunE: onlySubcommands}
	cmd.AddCommand(newSchedulerStatusCommand(a), newSchedulerCleanupCommand(a))
	return cmd
}

func newSchedulerStatusCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show what is kept for how long, when the cleanup runs, and the jobs by status",
		Args:  cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			status, err := c.SchedulerStatus(cmd.Context())
			if err != nil {
				return fmt.Errorf("read the scheduler's status: %w", err)
			}
			return a.showAnswer("", func() { a.writeScheduler(status) })
		}),
	}
}

func newSchedulerCleanupCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "cleanup",
		Short: "Clean up now",
		Long: `Clean up now, as the leader does by itself from time to time: cancel jobs that
nobody approved in time, take back jobs that are stuck, and delete what is not
kept any longer.`,
		Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			done, err := c.CleanUp(cmd.Context())
			if err != nil {
				return fmt.Errorf("clean up: %w", err)
			}
			return a.showAnswer("", func() { fmt.Fprintf(a.out, "%s: %s\n", oneLine(done.Message), oneLine(done.Note)) })
		}),
	}
}

// writeScheduler shows the scheduler's status.
func (a *app) writeScheduler(s kappa.SchedulerStatus) {
	p := a.paint(a.out)
	line := func(name, value string) { fmt.Fprintf(a.out, "%s %s\n", p.bold(pad(name, 18)), value) }
	if s.Running {
		line("Scheduler", "running")
	} else {
		line("Scheduler", p.red("not running: no server leads"))
	}
	hours := func(n int) string { return fmt.Sprintf("%d h", n) }
	line("Cleanup every", span(time.Duration(s.Config.CleanupInterval)*time.Second))
	line("Last cleanup", orDash(when(s.Stats.LastCleanup)))
	line("Next cleanup", orDash(when(s.Stats.NextCleanup)))
	line("Approval expires", "after "+hours(s.Config.ApprovalTimeout))
	line("Jobs are kept", "completed and cancelled "+hours(s.Config.CompletedRetention)+", failed "+hours(s.Config.FailedRetention))
	fmt.Fprintln(a.out)
	g := newGrid(column{name: "status"}, column{name: "jobs", right: true})
	for _, status := range kappa.Statuses() {
		g.add(string(status), number(s.Stats.JobsByStatus[status]))
	}
	a.writeGrid(g, nil)
}

// orDash returns s, or a dash for nothing.
func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
