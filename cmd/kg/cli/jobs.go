package cli

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

// maxJobsListed is the most that the server lists at once.
const maxJobsListed = 500

// NewJobsCommand returns kg jobs, with which jobs are listed, followed and decided on.
func NewJobsCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "jobs",
		Aliases: []string{"job"},
		Short:   "List, watch, approve, cancel, retry and delete jobs",
		RunE:    onlySubcommands,
	}
	cmd.AddCommand(newJobsListCommand(a), newJobsStatusCommand(a), newJobsWatchCommand(a), newJobsApproveCommand(a), newJobsCancelCommand(a),
		newJobsRetryCommand(a), newJobsDeleteCommand(a), newJobsPruneCommand(a))
	return cmd
}

func newJobsListCommand(a *App) *cobra.Command {
	var filter kappa.JobFilter
	var status string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List jobs, newest first",
		Example: "  kg jobs list --status processing\n  kg jobs list --status failed -o jsonl | jq -r .job_id",
		Args:    cobra.NoArgs,
		RunE: a.withChecked(func(*cobra.Command, []string) error {
			if filter.Limit < 1 || filter.Limit > maxJobsListed {
				return exit.Usage("--limit must be between 1 and %d, got %d", maxJobsListed, filter.Limit)
			}
			if status != "" {
				parsed, err := kappa.ParseStatus(status)
				if err != nil {
					return exit.Usage("--%w", err)
				}
				filter.Status = parsed
			}
			return nil
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			jobs, err := c.Jobs(cmd.Context(), filter)
			if err != nil {
				return fmt.Errorf("list jobs: %w", err)
			}
			return a.showAnswer("", func() { a.writeJobs(jobs) })
		}),
	}
	cmd.Flags().StringVar(&status, "status", "", "only jobs of this status")
	cmd.Flags().StringVar(&filter.Ontology, "ontology", "", "only jobs of this ontology")
	cmd.Flags().StringVar(&filter.Type, "type", "", "only jobs of this type")
	cmd.Flags().IntVar(&filter.Limit, "limit", 50, "how many to list at most, 1 to 500")
	completeWith(cmd, "status", statusWords()...)
	return cmd
}

func newJobsStatusCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "status JOB",
		Short: "Show one job",
		Args:  cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			job, err := c.Job(cmd.Context(), args[0])
			if err != nil {
				return fmt.Errorf("show the job: %w", err)
			}
			return a.showAnswer("", func() { a.writeJob(job) })
		}),
	}
}

func newJobsApproveCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "approve JOB...",
		Short: "Approve jobs that await it",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.changeJobs("approve", ids, func(c *client.Client, id string) (client.JobReply, error) { return c.Approve(cmd.Context(), id) })
		},
	}
}

func newJobsCancelCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "cancel JOB...",
		Short: "Cancel jobs; one that is being processed stops soon and keeps what it has stored",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.changeJobs("cancel", ids, func(c *client.Client, id string) (client.JobReply, error) { return c.Cancel(cmd.Context(), id) })
		},
	}
}

// changeJobs changes jobs one after the other. One that refuses does not keep
// the others from being changed; the exit code is that of the first refusal.
func (a *App) changeJobs(verb string, ids []string, change func(*client.Client, string) (client.JobReply, error)) error {
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
