package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/follow"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

// submitFlags are the flags of kg jobs submit.
type submitFlags struct {
	job       work.NewJob
	data      string
	dataclips []string
	clips     []clipFile
	noApprove bool
	wait      bool
}

// newJobsSubmitCommand returns kg jobs submit.
func newJobsSubmitCommand(a *App) *cobra.Command {
	var in submitFlags
	cmd := &cobra.Command{
		Use:   "submit --type TYPE",
		Short: "Submit a job of any type but ingestion",
		Long: `Submit a job of any type but ingestion, which kg ingest is for. Its data is JSON: as it
stands, from a file with @FILE, or from standard input with @-.`,
		Example: `  kg jobs submit --type exec --queue manual --data '{"n": 1}' --wait
  kg jobs submit --type openfn_run --queue fast_lane --data @run.json --dataclip in1=input.json`,
		Args: cobra.NoArgs,
		RunE: a.withChecked(func(cmd *cobra.Command, _ []string) error {
			return in.read(cmd)
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			in.job.AutoApprove = !in.noApprove
			var err error
			if in.job.Data, err = uploadClips(cmd.Context(), c, in.job.Data, in.clips); err != nil {
				return err
			}
			reply, err := c.Jobs.Submit(cmd.Context(), in.job)
			if err != nil {
				return fmt.Errorf("submit the job: %w", err)
			}
			if !in.wait {
				a.note("Watch with: kg jobs watch %s", reply.JobID)
				return a.showAnswer("", func() { fmt.Fprintln(a.out, reply.JobID+"  "+show.OneLine(reply.Message)) })
			}
			jobs := []follow.Job{{ID: reply.JobID, Name: in.job.Type}}
			f := follow.New(c, follow.NewDisplay(a.screen(a.err), jobs))
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
	flags := cmd.Flags()
	flags.StringVar(&in.job.Type, "type", "", "the job type (required)")
	flags.StringVar(&in.job.Queue, "queue", work.DefaultQueue, "the queue, which remote workers choose by")
	flags.IntVar(&in.job.Priority, "priority", 0, "-100 to 100; the highest is claimed first, and more than that of the job type, which is the default, takes the permission workers:manage")
	flags.StringVar(&in.data, "data", "", "what the job takes, as JSON; @FILE reads a file, @- standard input")
	flags.StringArrayVar(&in.dataclips, "dataclip", nil, "ID=FILE uploads an object of JSON, up to 10 MiB, as the dataclip ID of the data; may be given again")
	flags.BoolVar(&in.noApprove, "no-approve", false, "leave the job waiting for approval")
	flags.BoolVar(&in.wait, "wait", false, "follow the job to its end")
	return cmd
}

// read checks the flags, and reads the data.
func (in *submitFlags) read(cmd *cobra.Command) error {
	switch {
	case in.job.Type == "":
		return exit.Usage("--type is required")
	case in.noApprove && in.wait:
		return exit.Usage("--wait cannot be used with --no-approve: the job waits for approval")
	}
	text := []byte(in.data)
	if name, ok := strings.CutPrefix(in.data, "@"); ok {
		var err error
		if name == "-" {
			text, err = io.ReadAll(cmd.InOrStdin())
		} else {
			text, err = os.ReadFile(name)
		}
		if err != nil {
			return exit.Usage("--data: %s", err)
		}
	}
	if len(text) > 0 {
		if !json.Valid(text) {
			return exit.Usage("--data must be JSON")
		}
		in.job.Data = text // without any it is null: an empty text is no JSON
	}
	var err error
	in.clips, err = readClips(in.dataclips)
	return err
}

// newJobsLogCommand returns kg jobs log.
func newJobsLogCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:     "log JOB",
		Short:   "Show what remote workers have logged about a job",
		Example: `  kg jobs log job_5b1c0de9a7f2`,
		Args:    cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			var after work.RunLogLine
			for {
				part, err := c.Jobs.Log(cmd.Context(), args[0], after)
				if err != nil {
					return fmt.Errorf("read the log: %w", err)
				}
				if err := a.showAnswer("lines", func() {
					for _, l := range part.Lines {
						fmt.Fprintf(a.out, "%s  %-5s  %s\n", show.When(&l.At), show.OneLine(l.Level), show.OneLine(l.Message))
					}
				}); err != nil || !part.More {
					return err
				}
				after = part.Lines[len(part.Lines)-1]
			}
		}),
	}
}
