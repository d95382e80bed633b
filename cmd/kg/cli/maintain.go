package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

// submitAndShow submits a job that is approved at once, follows it to its end and shows
// its result.
func (a *App) submitAndShow(cmd *cobra.Command, c *client.Client, jobType string, data map[string]any, write func(result json.RawMessage)) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("encode the data of the job: %w", err)
	}
	reply, err := c.Jobs.Submit(cmd.Context(), work.NewJob{Type: jobType, Queue: work.DefaultQueue, AutoApprove: true, Data: raw})
	if err != nil {
		return fmt.Errorf("submit the job: %w", err)
	}
	return a.awaitResult(cmd.Context(), c, reply.JobID, write)
}

func newSourceEmbedCommand(a *App) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:     "embed [SOURCE]",
		Short:   "Embed the chunks whose embedding is missing or stale, in a job",
		Long:    `Embed the chunks whose embedding is missing or stale, in a job that is followed.`,
		Example: "  kg source embed\n  kg source embed --force",
		Args:    cobra.MaximumNArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			data := map[string]any{"force": force}
			if len(args) == 1 {
				data["source_id"] = args[0]
			}
			return a.submitAndShow(cmd, c, corpus.TypeSourceEmbedding, data, func(raw json.RawMessage) {
				var done struct {
					Sources int    `json:"sources_embedded"`
					Pieces  int    `json:"chunks_created"`
					Model   string `json:"embedding_model"`
				}
				if json.Unmarshal(raw, &done) == nil {
					fmt.Fprintf(a.out, "%s embedded in %s by %s\n", show.Counted(done.Sources, "chunk"), show.Counted(done.Pieces, "piece"), show.OneLine(done.Model))
				}
			})
		}),
	}
	cmd.Flags().BoolVar(&force, "force", false, "also those that have a current embedding")
	return cmd
}

func newArtifactsCleanupCommand(a *App) *cobra.Command {
	var dry, keep bool
	cmd := &cobra.Command{
		Use:     "cleanup",
		Short:   "Delete results that have expired, in a job",
		Example: "  kg artifacts cleanup --dry-run",
		Args:    cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			data := map[string]any{"dry_run": dry, "include_orphans": !keep}
			return a.submitAndShow(cmd, c, artifacts.TypeCleanup, data, func(raw json.RawMessage) {
				var done struct {
					Expired int `json:"expired_found"`
					Orphans int `json:"orphans_found"`
					Deleted int `json:"artifacts_deleted"`
					Files   int `json:"garage_objects_deleted"`
				}
				if json.Unmarshal(raw, &done) != nil {
					return
				}
				end := fmt.Sprintf("deleted %s and %s", show.Counted(done.Deleted, "artifact"), show.Counted(done.Files, "file"))
				if dry {
					end = "nothing was deleted: this was a dry run"
				}
				fmt.Fprintf(a.out, "%s expired, %s without an artifact; %s\n", show.Counted(done.Expired, "artifact"), show.Counted(done.Orphans, "file"), end)
			})
		}),
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only count what would be deleted")
	cmd.Flags().BoolVar(&keep, "keep-orphans", false, "leave files that belong to no artifact")
	return cmd
}
