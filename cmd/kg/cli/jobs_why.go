package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

func newJobsWhyCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "why JOB",
		Short: "Say why a job does not run, and what ends that",
		Long: `Say why a job does not run: it waits for its approval, its time, a slot, a provider of
models or a remote worker, or nothing claims its type. Where somebody has to do something,
the last line says what. It shows where in the queue the job stands, and about when it starts.`,
		Example: "  kg jobs why job_5b1c0de9a7f2",
		Args:    cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			wait, err := c.Jobs.Wait(cmd.Context(), args[0])
			if err != nil {
				return fmt.Errorf("ask why the job does not run: %w", err)
			}
			return a.showAnswer("", func() { a.writeWait(wait) })
		}),
	}
}

func (a *App) writeWait(w work.JobWait) {
	p := a.paint(a.out)
	fmt.Fprintf(a.out, "%s %s (%s)\n", w.JobID, paintStatus(p, w.Status), w.Code)
	fmt.Fprintln(a.out, show.OneLine(w.Reason))
	if w.StartsIn != nil {
		fmt.Fprintf(a.out, "It starts in about %s, if such jobs take as long as they did lately.\n", time.Duration(max(1, *w.StartsIn)*float64(time.Second)).Round(time.Second))
	}
	if w.Until != nil {
		fmt.Fprintf(a.out, "%s %s\n", p.Bold("Until"), show.When(w.Until))
	}
	if w.Remedy != "" {
		fmt.Fprintf(a.out, "%s %s\n", p.Bold("What to do:"), w.Remedy)
	}
}
