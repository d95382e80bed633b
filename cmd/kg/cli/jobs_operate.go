package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

func newJobsRetryCommand(a *App) *cobra.Command {
	var r work.Retry
	var from, data string
	act := manyJobs{act: work.ActRetry}
	cmd := &cobra.Command{
		Use:     "retry [JOB...]",
		Short:   "Submit failed or cancelled jobs again, as new jobs",
		Example: "  kg jobs retry job_5b1c0de9a7f2\n  kg jobs retry job_5b1c0de9a7f2 --from checkpoint\n  kg jobs retry --status failed --error 'timed out' --ended-from 1h --yes",
		Long: `Submit the work of failed or cancelled jobs again. Each becomes a new job with a
history of its own, and is approved if the old one was; the old one stays as it
is. What was read of a document is not read again, nor paid for, unless --from
start asks for it. With --gaps ingestions that completed are taken too, of which
some chunks could not be read.` + manyJobsHelp,
		RunE: func(cmd *cobra.Command, ids []string) error {
			r.From, r.Data = work.RetryFrom(from), nil
			if data != "" {
				r.Data = json.RawMessage(data)
			}
			if err := r.Validate(); err != nil {
				return exit.Usage("%w", err)
			}
			if data != "" && len(ids) == 0 {
				return exit.Usage("--with-data belongs to the ids of jobs")
			}
			act.options = work.ActOptions{From: r.From, Gaps: r.Gaps}
			return a.changeOrAct(cmd, ids, &act, func(c *client.Client, id string) (api.JobReply, error) {
				retry := r
				retry.JobID = id
				reply, err := c.Jobs.RetryWith(cmd.Context(), retry)
				reply.Message = "→ " + reply.JobID + "  " + reply.Message
				return reply, err
			})
		},
	}
	act.addFlags(cmd)
	cmd.Flags().BoolVar(&r.Gaps, "gaps", false, "also ingestions that completed with chunks that could not be read")
	cmd.Flags().StringVar(&from, "from", "", "where the new jobs begin: checkpoint or start; default: checkpoint for documents, start for others")
	cmd.Flags().StringVar(&data, "with-data", "", "what the new job takes instead of the old one's data, in JSON")
	completeWith(cmd, "from", string(work.RetryFromCheckpoint), string(work.RetryFromStart))
	return cmd
}

func newJobsDeleteCommand(a *App) *cobra.Command {
	act := manyJobs{act: work.ActDelete}
	cmd := &cobra.Command{
		Use:     "delete [JOB...]",
		Short:   "Delete jobs and their histories for good",
		Example: "  kg jobs delete job_5b1c0de9a7f2\n  kg jobs delete --status cancelled --age '>7d' --dry-run",
		Long: `Delete jobs and their histories for good. What they have written to the graph
stays. A job that is being processed is deleted only with --force; its worker
stops then.` + manyJobsHelp,
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.changeOrAct(cmd, ids, &act, func(c *client.Client, id string) (api.JobReply, error) {
				return c.Jobs.Delete(cmd.Context(), id, act.options.Force)
			})
		},
	}
	act.addFlags(cmd)
	cmd.Flags().BoolVar(&act.options.Force, "force", false, "delete a job even while it is being processed")
	return cmd
}

func newJobsUndoCommand(a *App) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:     "undo JOB",
		Short:   "Take what an ingestion has stored out of the graph",
		Example: "  kg jobs undo job_0123456789ab --dry-run\n  kg jobs undo job_0123456789ab",
		Long: `Take what an ingestion has stored out of the graph: the document, and every concept
and relationship that no other document supports. The job and its history stay.
A job that still runs is cancelled first: kg jobs cancel.`,
		Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			undo := c.Documents.Undo
			if dry {
				undo = c.Documents.PreviewUndo
			}
			undone, err := undo(cmd.Context(), args[0])
			if err != nil {
				return fmt.Errorf("undo %s: %w", args[0], err)
			}
			return a.showAnswer("", func() {
				if !dry {
					a.writeRemoved(undone.Removed)
					return
				}
				a.writeWouldGo(undone.Removed)
			})
		}),
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would go")
	return cmd
}

// pruneAges are the ages that the server knows.
func pruneAges() []string { return []string{"1h", "24h", "7d", "30d"} }

func newJobsPruneCommand(a *App) *cobra.Command {
	var p client.Prune
	var status string
	var dryRun, yes bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete many jobs and their histories for good, but none that runs",
		Long: `Delete many jobs and their histories for good, but never one that is being
processed. What they have written to the graph stays. At least one of the
filters is needed. Unless --yes is given, the number is shown first and a "yes"
is asked for.`,
		Example: "  kg jobs prune --older-than 7d --status failed --dry-run\n  kg jobs prune --older-than 30d --yes",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if status != "" {
				parsed, err := work.ParseStatus(status)
				if err != nil {
					return exit.Usage("--%w", err)
				}
				p.Status = parsed
			}
			for _, name := range []string{"older-than", "status", "type"} {
				if cmd.Flags().Changed(name) && cmd.Flags().Lookup(name).Value.String() == "" {
					return exit.Usage("--%s must not be empty; leave it out instead", name)
				}
			}
			if p == (client.Prune{}) {
				return exit.Usage("nothing is selected: give --older-than, --status, --type or --system")
			}
			return a.prune(cmd, p, dryRun, yes)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&p.OlderThan, "older-than", "", "only jobs submitted longer ago: "+strings.Join(pruneAges(), ", "))
	flags.StringVar(&status, "status", "", "only jobs of this status")
	flags.StringVar(&p.Type, "type", "", "only jobs of this type")
	flags.BoolVar(&p.System, "system", false, "only jobs of the system, such as those of schedules")
	flags.BoolVar(&dryRun, "dry-run", false, "show what would be deleted, and delete nothing")
	flags.BoolVarP(&yes, "yes", "y", false, "do not ask")
	completeWith(cmd, "older-than", pruneAges()...)
	completeWith(cmd, "status", statusWords()...)
	return cmd
}

// statusWords are the statuses of jobs.
func statusWords() []string {
	var words []string
	for _, s := range work.Statuses() {
		words = append(words, string(s))
	}
	return words
}

// prune deletes jobs, after asking, or shows which.
func (a *App) prune(cmd *cobra.Command, p client.Prune, dryRun, yes bool) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	defer c.Close()
	if dryRun || !yes {
		preview, err := c.Jobs.PreviewPrune(cmd.Context(), p)
		if err != nil {
			return fmt.Errorf("preview the deletion: %w", err)
		}
		if dryRun {
			return a.showAnswer("jobs", func() { a.writeDeletion(preview) })
		}
		if err := a.confirm(preview.Message + ". Type yes to go on: "); err != nil {
			return err
		}
	}
	deleted, err := c.Jobs.Prune(cmd.Context(), p)
	if err != nil {
		return fmt.Errorf("delete jobs: %w", err)
	}
	return a.showAnswer("", func() { fmt.Fprintln(a.out, show.OneLine(deleted.Message)) })
}

// confirm asks on standard error before something is deleted, and returns an error unless the
// answer is yes.
func (a *App) confirm(question string) error { return a.confirmed(question, "deleted") }

// confirmed is confirm before something else is done.
func (a *App) confirmed(question, done string) error {
	fmt.Fprint(a.err, question)
	line, err := bufio.NewReader(a.in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the answer: %w", err)
	}
	if !show.IsTerminal(a.in) {
		a.note("")
	}
	if strings.TrimSpace(line) != "yes" {
		return &exit.Error{Code: exit.Failed, Err: errors.New("nothing was " + done), Hint: "answer yes, or give --yes"}
	}
	return nil
}

// writeDeletion shows what would be deleted.
func (a *App) writeDeletion(preview api.PrunePreview) {
	if len(preview.Jobs) > 0 {
		g := show.NewGrid(show.Column{Name: "job"}, show.Column{Name: "status"}, show.Column{Name: "type"}, show.Column{Name: "age", Right: true}, show.Column{Name: "ontology", Flex: true})
		for _, j := range preview.Jobs {
			g.Add(j.JobID, string(j.Status), j.JobType, show.Age(j.CreatedAt.Time), orEmpty(j.Ontology))
		}
		a.writeGrid(g, nil)
		fmt.Fprintln(a.out)
	}
	fmt.Fprintln(a.out, show.OneLine(preview.Message))
}
