package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

func newSchedulerCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "scheduler", Short: "Show the cleanup, or run it now", RunE: onlySubcommands}
	cmd.AddCommand(newSchedulerStatusCommand(a), newSchedulerCleanupCommand(a))
	return cmd
}

func newSchedulerStatusCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show what is kept for how long, when the cleanup runs, and the jobs by status",
		Long:  `Show how the scheduler is set, when it cleaned up, and how many jobs there are.`, Example: `  kg admin scheduler status`,
		Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			status, err := c.Schedules.Status(cmd.Context())
			if err != nil {
				return fmt.Errorf("read the scheduler's status: %w", err)
			}
			return a.showAnswer("", func() { a.writeScheduler(status) })
		}),
	}
}

func newSchedulerCleanupCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:     "cleanup",
		Short:   "Clean up now",
		Example: `  kg admin scheduler cleanup`,
		Long: `Clean up now, as the leader does by itself from time to time: cancel jobs that
nobody approved in time, take back jobs that are stuck, and delete what is not
kept any longer.`,
		Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			done, err := c.Schedules.CleanUp(cmd.Context())
			if err != nil {
				return fmt.Errorf("clean up: %w", err)
			}
			return a.showAnswer("", func() { fmt.Fprintf(a.out, "%s: %s\n", show.OneLine(done.Message), show.OneLine(done.Note)) })
		}),
	}
}

// writeScheduler shows the scheduler's status.
func (a *App) writeScheduler(s work.SchedulerStatus) {
	p := a.paint(a.out)
	line := func(name, value string) { fmt.Fprintf(a.out, "%s %s\n", p.Bold(show.Pad(name, 18)), value) }
	if s.Running {
		line("Scheduler", "running")
	} else {
		line("Scheduler", p.Red("not running: no server leads"))
	}
	hours := func(n int) string { return fmt.Sprintf("%d h", n) }
	line("Cleanup every", show.Span(time.Duration(s.Config.CleanupInterval)*time.Second))
	line("Last cleanup", orDash(show.When(s.Stats.LastCleanup)))
	line("Next cleanup", orDash(show.When(s.Stats.NextCleanup)))
	line("Approval expires", "after "+hours(s.Config.ApprovalTimeout))
	line("Jobs are kept", "completed and cancelled "+hours(s.Config.CompletedRetention)+", failed "+hours(s.Config.FailedRetention))
	fmt.Fprintln(a.out)
	g := show.NewGrid(show.Column{Name: "status"}, show.Column{Name: "jobs", Right: true})
	for _, status := range work.Statuses() {
		g.Add(string(status), show.Number(s.Stats.JobsByStatus[status]))
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
