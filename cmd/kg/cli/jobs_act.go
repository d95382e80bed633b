package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

// manyJobsHelp is what the commands say that also take a filter.
const manyJobsHelp = `

Instead of the ids of jobs it takes the filters of kg jobs list, of jobs in a status
that allows it. The number and the first ten are shown then, and a "yes" is asked
for unless --yes is given. More than 500 are done by a job: kg jobs outcomes shows
what becomes of each.`

// manyJobs is an act on the jobs that flags select.
type manyJobs struct {
	act              work.Act
	options          work.ActOptions
	read             func() (work.JobFilter, error)
	all, dryRun, yes bool
}

func (m *manyJobs) addFlags(cmd *cobra.Command) {
	m.read = jobFilterFlags(cmd, false)
	cmd.Flags().BoolVar(&m.all, "all", false, "every job that you may see, instead of a filter")
	cmd.Flags().BoolVar(&m.dryRun, "dry-run", false, "show how many jobs are selected and the first ten, and change nothing")
	cmd.Flags().BoolVarP(&m.yes, "yes", "y", false, "do not ask")
}

// changeOrAct changes the jobs with some ids one after the other, or acts on those that flags
// select; with neither, or with both, the command is misused.
func (a *App) changeOrAct(cmd *cobra.Command, ids []string, m *manyJobs, change func(*client.Client, string) (api.JobReply, error)) error {
	f, err := m.read()
	if err != nil {
		return err
	}
	f.Limit = 0
	selects := m.all || !f.SelectsAll()
	switch {
	case len(ids) > 0 && (selects || m.dryRun):
		return exit.Usage("give the ids of jobs, or flags that select jobs, and not both")
	case len(ids) > 0:
		return a.changeJobs(string(m.act), ids, change)
	case !selects:
		return exit.Usage("nothing is selected: give the ids of jobs, or flags that narrow, such as --status; --all means every job")
	}
	act := work.JobAct{Act: m.act, ActOptions: m.options, Filter: f, All: m.all}
	if err := act.Validate(); err != nil {
		return exit.Usage("%w", err)
	}
	return a.actOnJobs(cmd.Context(), act, m.dryRun, m.yes)
}

// actOnJobs acts on jobs, after asking, or shows which.
func (a *App) actOnJobs(ctx context.Context, act work.JobAct, dryRun, yes bool) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	defer c.Close()
	if dryRun || !yes {
		preview, err := c.Jobs.PreviewAct(ctx, act)
		if err != nil {
			return fmt.Errorf("select the jobs: %w", err)
		}
		if dryRun || preview.Selected == 0 {
			return a.showAnswer("jobs", func() {
				if len(preview.Jobs) > 0 {
					a.writeJobs(preview.Jobs)
				}
				fmt.Fprintln(a.out, show.OneLine(preview.Message))
			})
		}
		if a.output == formatTable && show.IsTerminal(a.in) && len(preview.Jobs) > 0 {
			a.writeJobs(preview.Jobs)
		}
		if err := a.confirmed(preview.Message+". Type yes to go on: ", "changed"); err != nil {
			return err
		}
		act.Expect = &preview.Selected
	}
	reply, err := c.Jobs.Act(ctx, act)
	if err != nil {
		return fmt.Errorf("%s jobs: %w", act.Act, err)
	}
	err = a.showAnswer("outcomes", func() { a.writeActReply(reply) })
	if err == nil && reply.Refused > 0 {
		return &exit.Error{Code: exit.Failed}
	}
	return err
}

// writeActReply shows what was refused, and how many jobs were not.
func (a *App) writeActReply(reply api.JobActReply) {
	for _, o := range reply.Outcomes {
		if o.Outcome != work.OutcomeDone {
			fmt.Fprintf(a.out, "%s  %s  %s\n", o.JobID, o.Outcome, show.OneLine(o.Reason))
		}
	}
	fmt.Fprintln(a.out, show.OneLine(reply.Message))
	if reply.JobID != nil {
		a.note("Follow it with: kg jobs watch %s\nWhat becomes of each: kg jobs outcomes %s", *reply.JobID, *reply.JobID)
	}
}

func newJobsRunNowCommand(a *App) *cobra.Command {
	act := manyJobs{act: work.ActRunNow}
	cmd := &cobra.Command{
		Use:   "run-now [JOB...]",
		Short: "Have approved jobs run whose time has not come",
		Long: `Have approved jobs run at once that wait for their time: for that of their submission,
or for that of the next attempt.` + manyJobsHelp,
		Example: "  kg jobs run-now job_5b1c0de9a7f2\n  kg jobs run-now --waits-for time --type ingestion",
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.changeOrAct(cmd, ids, &act, func(c *client.Client, id string) (api.JobReply, error) {
				return actOnOne(cmd.Context(), c, work.JobAct{Act: work.ActRunNow}, id)
			})
		},
	}
	act.addFlags(cmd)
	return cmd
}

// actOnOne acts on one job, and returns its refusal as an error.
func actOnOne(ctx context.Context, c *client.Client, act work.JobAct, id string) (api.JobReply, error) {
	act.Filter.IDs = []string{id}
	reply, err := c.Jobs.Act(ctx, act)
	if err != nil {
		return api.JobReply{}, err
	}
	for _, o := range reply.Outcomes {
		if o.Outcome != work.OutcomeDone {
			return api.JobReply{}, kappa.NewError(kappa.CodeConflict, o.Reason)
		}
	}
	return api.JobReply{JobID: id, Message: "Job can be claimed now"}, nil
}

func newJobsOutcomesCommand(a *App) *cobra.Command {
	var outcome string
	cmd := &cobra.Command{
		Use:     "outcomes JOB",
		Short:   "Show what became of each job that an act on many was asked for",
		Long:    "Show what became of each job of an act that a job does, in the order in which they were\nsubmitted: done, refused and why, or open while it was not reached.",
		Example: "  kg jobs outcomes job_5b1c0de9a7f2 --only refused",
		Args:    cobra.ExactArgs(1),
		RunE: a.withChecked(func(*cobra.Command, []string) error {
			switch work.OutcomeKind(outcome) {
			case "", work.OutcomeDone, work.OutcomeRefused, work.OutcomeOpen:
				return nil
			}
			return exit.Usage("--only must be done, refused or open, got %q", outcome)
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			var all []work.ActOutcome
			for cursor := ""; ; {
				page, err := c.Jobs.ActStatus(cmd.Context(), args[0], work.OutcomeKind(outcome), cursor, maxJobsListed)
				if err != nil {
					return fmt.Errorf("show what became of jobs: %w", err)
				}
				all = append(all, page.Outcomes...)
				if page.NextCursor == nil {
					return a.show(all, func() { a.writeOutcomes(page, all) })
				}
				cursor = *page.NextCursor
			}
		}),
	}
	cmd.Flags().StringVar(&outcome, "only", "", "only these: done, refused or open")
	completeWith(cmd, "only", "done", "refused", "open")
	return cmd
}

// writeOutcomes draws what became of jobs as a table.
func (a *App) writeOutcomes(status api.JobActStatus, outcomes []work.ActOutcome) {
	g := show.NewGrid(show.Column{Name: "job"}, show.Column{Name: "outcome"}, show.Column{Name: "new job"}, show.Column{Name: "reason", Flex: true})
	for _, o := range outcomes {
		g.Add(o.JobID, string(o.Outcome), o.NewID, show.OneLine(o.Reason))
	}
	if len(outcomes) > 0 {
		a.writeGrid(g, nil)
	}
	a.note("%d selected, %d done, %d refused, %d open; the act is %s.", status.Selected, status.Done, status.Refused, status.Open, status.Status)
}
