package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/follow"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

func newJobsWatchCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "watch JOB...",
		Short: "Follow jobs live, to their end",
		Example: `  kg jobs watch job_5b1c0de9a7f2
  kg jobs watch job_5b1c0de9a7f2 -o jsonl 2> /dev/null`,
		Long: `Follow jobs to their end. The progress is on standard error; the jobs as they
are at the end are on standard output, or with -o jsonl each event as it happens.

Ctrl-C stops watching; the jobs go on.`,
		Args: cobra.MinimumNArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, ids []string) error {
			jobs, err := a.named(cmd, c, ids)
			if err != nil {
				return err
			}
			f := follow.New(c, follow.NewDisplay(a.screen(a.err), jobs))
			f.Observe = a.noteWaiting
			if a.output == formatJSONL {
				f.Observe = a.writeEvent
			}
			outcomes, err := f.Run(cmd.Context(), jobs)
			if err != nil {
				return a.interrupted(err, jobs)
			}
			return a.conclude(cmd.Context(), c, jobs, outcomes)
		}),
	}
}

// conclude shows jobs that were followed, unless their events were shown, and
// returns what decides the exit code.
func (a *App) conclude(ctx context.Context, c *client.Client, jobs []follow.Job, outcomes []follow.Outcome) error {
	if err := follow.Broken(outcomes); err != nil {
		return err
	}
	if a.output != formatJSONL {
		if err := a.showJobs(ctx, c, jobs); err != nil {
			return err
		}
	}
	return follow.Verdict(outcomes)
}

// named reads the jobs, so that their displays can say what they are about.
func (a *App) named(cmd *cobra.Command, c *client.Client, ids []string) ([]follow.Job, error) {
	var jobs []follow.Job
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		job, err := c.Jobs.Get(cmd.Context(), id)
		if err != nil {
			return nil, fmt.Errorf("watch %s: %w", id, err)
		}
		name := subject(job)
		if name == "" {
			name = id
		}
		jobs = append(jobs, follow.Job{ID: id, Name: name})
	}
	return jobs, nil
}

// noteWaiting says what a job waits for that nobody has approved.
func (a *App) noteWaiting(u client.Update) {
	if u.Status() == work.StatusAwaitingApproval && !show.IsTerminal(a.err) {
		a.note("%s awaits approval: kg jobs approve %s", u.JobID, u.JobID)
	}
}

// writeEvent writes an event as a line of JSON. What cannot be written is
// noticed when the command ends.
func (a *App) writeEvent(u client.Update) {
	line, err := json.Marshal(struct {
		JobID string          `json:"job_id"`
		Seq   int64           `json:"seq"`
		Event work.EventKind  `json:"event"`
		Data  json.RawMessage `json:"data"`
	}{u.JobID, u.Seq, u.Kind, u.Payload})
	if err == nil {
		_, _ = a.out.Write(append(line, '\n'))
	}
}
