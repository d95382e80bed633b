package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/follow"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/work"
)

// checkJob checks the flags about a job.
func (in *dataFlags) checkJob(cmd *cobra.Command) error {
	switch {
	case !in.job && (in.wait || in.save != "" || cmd.Flags().Changed("format")):
		return exit.Usage("--format, --wait and --save are for --job")
	case in.job && len(in.uploads) > 0:
		return exit.Usage("--upload cannot be used with --job: a file that is sent is removed when its question is answered")
	case in.job && cmd.Flags().Changed("limit"):
		return exit.Usage("--limit cannot be used with --job, which keeps the whole answer; write LIMIT into the SQL")
	case in.format != datasets.FormatParquet && in.format != datasets.FormatCSV:
		return exit.Usage("--format must be parquet or csv, got %q", in.format)
	}
	return nil
}

// dataJob asks a question in a job, and follows it when that is wanted.
func (a *App) dataJob(ctx context.Context, c *client.Client, q datasets.Query, in *dataFlags) error {
	reply, err := c.Datasets.Submit(ctx, datasets.Job{SQL: q.SQL, Datasets: q.Datasets, Format: in.format})
	if err != nil {
		return fmt.Errorf("submit the question: %w", err)
	}
	if !in.wait && in.save == "" {
		a.note("Watch with: kg jobs watch %s", reply.JobID)
		return a.showAnswer("", func() { fmt.Fprintln(a.out, reply.JobID+"  "+show.OneLine(reply.Message)) })
	}
	if err := a.followOne(ctx, c, follow.Job{ID: reply.JobID, Name: "question"}); err != nil || in.save == "" {
		return err
	}
	return a.saveAnswer(ctx, c, reply.JobID, in.save)
}

// followOne follows a job to its end, and shows its result.
func (a *App) followOne(ctx context.Context, c *client.Client, job follow.Job) error {
	jobs := []follow.Job{job}
	f := follow.New(c, follow.NewDisplay(a.screen(a.err), jobs))
	if a.output == formatJSONL {
		f.Observe = a.writeEvent
	}
	outcomes, err := f.Run(ctx, jobs)
	if err != nil {
		return a.interrupted(err, jobs)
	}
	return a.conclude(ctx, c, jobs, outcomes)
}

// artifactOf returns the id of the artifact that a job has kept.
func artifactOf(job work.Job) (int, error) {
	var result struct {
		ArtifactID int `json:"artifact_id"`
	}
	if err := json.Unmarshal(job.Result, &result); err != nil || result.ArtifactID == 0 {
		return 0, fmt.Errorf("the job %s has kept no file", job.ID)
	}
	return result.ArtifactID, nil
}
