package cli

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

// maxJobsListed is the most that the server lists at once.
const maxJobsListed = 500

// NewJobsCommand returns kg jobs, with which jobs are listed, followed and decided on.
func NewJobsCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "jobs",
		Aliases: []string{"job"},
		Short:   "List, explain, watch, approve, cancel, retry, undo and delete jobs",
		RunE:    onlySubcommands,
	}
	cmd.AddCommand(newJobsListCommand(a), newJobsDeadCommand(a), newJobsStatusCommand(a), newJobsWhyCommand(a), newJobsAttemptsCommand(a), newJobsWatchCommand(a), newJobsApproveCommand(a), newJobsCancelCommand(a),
		newJobsRetryCommand(a), newJobsRunNowCommand(a), newJobsPriorityCommand(a), newJobsMoveCommand(a), newJobsDeleteCommand(a), newJobsOutcomesCommand(a), newJobsPruneCommand(a), newJobsSubmitCommand(a), newJobsLogCommand(a), newJobsUndoCommand(a))
	return cmd
}

func newJobsStatusCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:     "status JOB",
		Aliases: []string{"show"},
		Short:   "Show one job",
		Example: `  kg jobs status job_5b1c0de9a7f2`,
		Args:    cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			job, err := c.Jobs.Get(cmd.Context(), args[0])
			if err != nil {
				return fmt.Errorf("show the job: %w", err)
			}
			return a.showAnswer("", func() {
				a.writeJob(job)
				a.writeParts(cmd.Context(), c, job)
			})
		}),
	}
}

func newJobsApproveCommand(a *App) *cobra.Command {
	var budget string
	act := manyJobs{act: work.ActApprove}
	cmd := &cobra.Command{
		Use:     "approve [JOB...]",
		Aliases: []string{"resume"},
		Short:   "Approve jobs that await it; resume those that have paused",
		Long: `Approve jobs that await it. A job that has paused, because it has spent its budget,
goes on with a higher one where it is: what it has stored stays, and what it has
had read is not paid for again. With --budget none it has no limit.` + manyJobsHelp,
		Example: "  kg jobs resume job_1f2e3d4c5b6a --budget 5\n  kg jobs approve --ontology notes --dry-run",
		RunE: func(cmd *cobra.Command, ids []string) error {
			if err := checkBudgetFlag(budget); err != nil {
				return err
			}
			if budget != "" {
				parsed, _ := corpus.ParseBudget(budget) // it was checked
				act.options.Budget = &parsed
			}
			return a.changeOrAct(cmd, ids, &act, func(c *client.Client, id string) (api.JobReply, error) {
				if budget != "" {
					return c.Jobs.ApproveWithBudget(cmd.Context(), id, budget)
				}
				return c.Jobs.Approve(cmd.Context(), id)
			})
		},
	}
	act.addFlags(cmd)
	cmd.Flags().StringVar(&budget, "budget", "", "what each job may spend on models from now on: 2.50 are US dollars, 50000tokens tokens, with a comma both, or none")
	return cmd
}

func newJobsCancelCommand(a *App) *cobra.Command {
	act := manyJobs{act: work.ActCancel}
	cmd := &cobra.Command{
		Use:   "cancel [JOB...]",
		Short: "Cancel jobs; one that is being processed stops soon and keeps what it has stored",
		Long: `Cancel jobs in any status but an ended one. One that runs stops at its next yield
point. A job that refuses does not keep the others from being cancelled.` + manyJobsHelp,
		Example: "  kg jobs cancel job_5b1c0de9a7f2\n  kg jobs cancel --owner alice --status approved --age '<1h'",
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.changeOrAct(cmd, ids, &act, func(c *client.Client, id string) (api.JobReply, error) { return c.Jobs.Cancel(cmd.Context(), id) })
		},
	}
	act.addFlags(cmd)
	return cmd
}

// changeJobs changes jobs one after the other. One that refuses does not keep
// the others from being changed; the exit code is that of the first refusal.
func (a *App) changeJobs(verb string, ids []string, change func(*client.Client, string) (api.JobReply, error)) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	defer c.Close()
	var answers []json.RawMessage
	var failed []error
	for _, id := range ids {
		reply, err := change(c, id)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s %s: %w", verb, id, err))
			if code, _ := exit.CodeOf(err); code == exit.Unreachable || code == exit.NotAllowed || code == exit.Interrupted {
				break
			}
			continue
		}
		answers = append(answers, a.answers.answer())
		if a.output == formatTable {
			fmt.Fprintf(a.out, "%s  %s\n", id, show.OneLine(reply.Message))
		}
	}
	if a.output != formatTable && len(answers) > 0 {
		if err := a.showAnswers(answers); err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}
