package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

const (
	drainEvery = 500 * time.Millisecond // between two looks at what runs
	drainShown = 10                     // jobs that run are listed
	stayPaused = "Everything stays paused; claim again with: kg admin resume --all"
)

func newDrainCommand(a *App) *cobra.Command {
	var reason string
	var wait bool
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "drain [--wait [--timeout DURATION]]",
		Short: "Have nothing more claimed, and wait until nothing runs",
		Long: `Have nothing more claimed, on all servers and by all remote workers, as kg admin pause --all does.
With --wait the command ends when nothing runs any more, and says meanwhile what still runs. What
runs is not touched. Ctrl-C and --timeout end the wait and leave the pause; after a timeout the exit
code is 8. kg admin resume --all has jobs claimed again.`,
		Example: "  kg admin drain --wait --timeout 10m --reason 'a new release at noon'",
		Args:    cobra.NoArgs,
		RunE: a.withChecked(func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("timeout") && (!wait || timeout <= 0) {
				return exit.Usage("--timeout must be above 0, and goes with --wait")
			}
			return inFlagsOf(cmd, (work.PauseRequest{Scope: work.PauseAll, Reason: reason}).Validate(), nil)
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			_, err := c.Workers.Pause(cmd.Context(), work.PauseRequest{Scope: work.PauseAll, Reason: reason})
			switch {
			case kappa.ErrorCode(err) == kappa.CodeConflict:
				a.note("Everything was paused already.")
			case err != nil:
				return fmt.Errorf("pause everything: %w", err)
			default:
				a.note("Everything paused.")
			}
			if wait {
				return a.awaitDrained(cmd.Context(), c, timeout)
			}
			return nil
		}),
	}
	cmd.Flags().StringVar(&reason, "reason", "draining", fmt.Sprintf("why, for everybody whose jobs wait, at most %d characters", work.MaxPauseReason))
	cmd.Flags().BoolVar(&wait, "wait", false, "end when nothing runs any more")
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "with --wait: how long to wait at most, such as 10m; without it there is no limit")
	return cmd
}

// awaitDrained waits until nothing runs, and says what does whenever that has changed. A claim may
// have been under way when everything was paused, so it looks twice.
func (a *App) awaitDrained(ctx context.Context, c *client.Client, timeout time.Duration) error {
	ended := make(<-chan time.Time) // never
	if timeout > 0 {
		ended = time.After(timeout)
	}
	next := time.NewTicker(drainEvery)
	defer next.Stop()
	running, empty := -1, false
	for {
		status, err := c.Workers.Status(ctx)
		switch code, _ := exit.CodeOf(err); {
		case ctx.Err() != nil:
			a.note(stayPaused)
			return &exit.Error{Code: exit.Interrupted}
		case err != nil && code != exit.Unreachable:
			return fmt.Errorf("ask what runs: %w", err)
		case err != nil: // it may be restarted just now
		case status.RunningCount == 0 && empty:
			return a.showAnswer("", func() { fmt.Fprintln(a.out, "Nothing runs.") })
		default:
			if status.RunningCount != running && status.RunningCount > 0 {
				a.noteRunning(status)
			}
			running, empty = status.RunningCount, status.RunningCount == 0
		}
		select {
		case <-ctx.Done():
		case <-ended:
			a.note(stayPaused)
			return &exit.Error{Code: exit.TimedOut, Err: errors.New("jobs still run after " + show.Span(timeout)), Hint: "kg admin workers shows them; wait again with: kg admin drain --wait"}
		case <-next.C:
		}
	}
}

// noteRunning lists what runs.
func (a *App) noteRunning(status work.WorkerStatus) {
	a.note("%s still running:", show.Counted(status.RunningCount, "job"))
	for i, j := range status.RunningJobs {
		if i == drainShown {
			a.note("  and %s more", show.Number(status.RunningCount-drainShown))
			break
		}
		since := ""
		if j.ClaimedAt != nil {
			since = "  for " + show.Age(j.ClaimedAt.Time)
		}
		a.note("  %s  %s%s", j.JobID, show.OneLine(j.JobType), since)
	}
}
