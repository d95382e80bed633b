package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/curation"
)

func newVocabConsolidateCommand(a *App) *cobra.Command {
	o := curation.NewConsolidation()
	var review bool
	cmd := &cobra.Command{
		Use:   "consolidate",
		Short: "Merge relationship types that mean the same, and remove those that nothing uses, in a job",
		Long: `Merge relationship types that mean the same, in a job: from --threshold of similarity
on, down to --target-size types. What is less similar is left to kg vocab review.`,
		Example: `  kg vocab consolidate --dry-run --target-size 40 --threshold 0.95 --batch-size 5 --prune-unused
  kg vocab consolidate --review`,
		Args: cobra.NoArgs,
		RunE: a.withChecked(func(*cobra.Command, []string) error {
			o.AutoMode = !review
			return misused(o.Validate(""))
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			reply, err := c.Vocabulary.Consolidate(cmd.Context(), o)
			if err != nil {
				return fmt.Errorf("submit the job: %w", err)
			}
			return a.awaitResult(cmd.Context(), c, reply.JobID, a.writeConsolidated)
		}),
	}
	cmd.Flags().IntVar(&o.TargetSize, "target-size", o.TargetSize, "merge no further at this size")
	cmd.Flags().Float64Var(&o.AutoThreshold, "threshold", o.AutoThreshold, "from this similarity on types are merged, 0.5 to 1")
	cmd.Flags().IntVar(&o.BatchSize, "batch-size", o.BatchSize, "merges until the types are compared anew, 1 to 100")
	cmd.Flags().BoolVar(&o.PruneUnused, "prune-unused", false, "first remove the types that documents brought in and that nothing uses")
	cmd.Flags().BoolVar(&review, "review", false, "merge nothing: leave all to kg vocab review")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "only say what would be done")
	return cmd
}

// awaitResult follows a job to its end, and shows its result.
func (a *App) awaitResult(ctx context.Context, c *client.Client, jobID string, write func(result json.RawMessage)) error {
	job, err := a.awaitJob(ctx, c, jobID)
	if err != nil {
		return err
	}
	return a.showAnswer("", func() { write(job.Result) })
}

func (a *App) writeConsolidated(raw json.RawMessage) {
	var done curation.ConsolidationOutcome
	if json.Unmarshal(raw, &done) != nil {
		return
	}
	merged, removed := "merged", "removed"
	if done.DryRun {
		merged, removed = "would merge", "would remove"
	}
	for _, name := range done.PrunedTypes {
		fmt.Fprintf(a.out, "%s %s\n", removed, show.OneLine(name))
	}
	for _, m := range done.Executed {
		if m.Error != nil {
			fmt.Fprintf(a.out, "%s stays: %s\n", show.OneLine(m.Source), show.OneLine(*m.Error))
			continue
		}
		fmt.Fprintf(a.out, "%s %s into %s (%.2f), %s\n", merged, show.OneLine(m.Source), show.OneLine(m.Target), m.Similarity, show.Counted(m.Edges, "edge"))
	}
	for _, pair := range done.Refused[:min(shownRefused, len(done.Refused))] {
		fmt.Fprintf(a.out, "%s and %s stay apart: %s\n", show.OneLine(pair.First), show.OneLine(pair.Second), show.OneLine(pair.Reason))
	}
	if more := done.Rejected - shownRefused; more > 0 {
		fmt.Fprintf(a.out, "and %s\n", show.Counted(more, "further pair"))
	}
	fmt.Fprintln(a.out, show.OneLine(done.Message()))
}

// shownRefused is how many pairs that stay apart are shown.
const shownRefused = 10
