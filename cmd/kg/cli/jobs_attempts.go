package cli

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/follow"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

func newJobsAttemptsCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:     "attempts JOB",
		Aliases: []string{"history"},
		Short:   "Show each attempt at a job, and why it ended",
		Long: `Show each attempt at a job, the last 200: who made it, how long the job waited before and
how long it ran, how far it came, how it ended and why; and what the job has used of models.
An attempt that was released gave the job back, as for a provider that takes no calls: it
counts as none.`,
		Example: "  kg jobs attempts job_5b1c0de9a7f2",
		Args:    cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			found, err := c.Jobs.Attempts(cmd.Context(), args[0])
			if err != nil {
				return fmt.Errorf("show the attempts at the job: %w", err)
			}
			return a.showAnswer("", func() { a.writeAttempts(found) })
		}),
	}
}

func (a *App) writeAttempts(found work.JobAttempts) {
	p := a.paint(a.out)
	fmt.Fprintf(a.out, "%s %s\n", found.JobID, paintStatus(p, found.Status))
	switch {
	case len(found.Attempts) == 0:
		fmt.Fprintf(a.out, "Nobody has worked on it. Why: kg jobs why %s\n", found.JobID)
		return
	case found.Earlier > 0:
		fmt.Fprintf(a.out, "%s before these.\n", show.Counted(found.Earlier, "attempt"))
	}
	g := show.NewGrid(show.Column{Name: "#", Right: true}, show.Column{Name: "began"}, show.Column{Name: "waited", Right: true}, show.Column{Name: "ran", Right: true},
		show.Column{Name: "outcome"}, show.Column{Name: "worker"}, show.Column{Name: "came to"}, show.Column{Name: "why", Flex: true})
	for _, t := range found.Attempts {
		g.Add(strconv.Itoa(t.Number), t.ClaimedAt.Local().Format(time.DateTime), show.Span(time.Duration(t.WaitSeconds*float64(time.Second))), ran(t), string(t.Outcome),
			attemptWorker(t.Worker), cameTo(t.Progress), show.OneLine(orEmpty(t.Reason)))
	}
	a.writeGrid(g, func(column int, cell string) string {
		if column == 4 {
			return paintStatus(p, work.Status(cell))
		}
		return cell
	})
	for _, u := range found.Usage {
		fmt.Fprintf(a.out, "%s for %s: %s (%d failed), %s tokens to it and %s from it, %s\n", show.OneLine(u.Model), u.Purpose, show.Counted(u.Calls, "call"), u.FailedCalls,
			show.Number(int(u.InputTokens)), show.Number(int(u.OutputTokens)), kappa.Dollars(u.USD))
	}
	if found.CallsRunning+found.CallsWaiting > 0 {
		fmt.Fprintf(a.out, "Now: %s under way, %d waiting for their turn\n", show.Counted(found.CallsRunning, "call"), found.CallsWaiting)
	}
}

func ran(t work.Attempt) string {
	if t.RunSeconds == nil {
		return show.Span(time.Since(t.ClaimedAt.Time))
	}
	return show.Span(time.Duration(*t.RunSeconds * float64(time.Second)))
}

// attemptWorker names a worker: a remote one by its name, a server by its machine and process.
func attemptWorker(w work.AttemptWorker) string {
	switch {
	case w.Name != "":
		return show.OneLine(w.Name)
	case w.Hostname != "":
		return fmt.Sprintf("%s:%d", show.OneLine(w.Hostname), w.PID)
	}
	return w.ID
}

func cameTo(p *work.Progress) string {
	if p == nil {
		return ""
	}
	return commas(strconv.Itoa(p.Percent)+" %", follow.Counts(*p))
}
