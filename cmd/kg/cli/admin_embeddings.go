package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/work"
)

func newEmbeddingsCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "embeddings",
		Short: "Show with which model concepts are embedded",
		Args:  cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			config, err := c.Models.EmbeddingConfig(cmd.Context())
			if err != nil {
				return fmt.Errorf("read what embeds: %w", err)
			}
			return a.showAnswer("", func() { a.writeEmbeddings(config) })
		}),
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "reembed",
		Short: "Submit a job that embeds every concept anew with the server's model",
		Long: `After another model was chosen that embeds, submit a job that embeds every concept
anew. Documents wait until it is done.`,
		Example: `  kg admin embeddings reembed`,
		Args:    cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			job, err := c.Jobs.Submit(cmd.Context(), work.NewJob{Type: models.TypeReembed, AutoApprove: true})
			if err != nil {
				return fmt.Errorf("submit the job: %w", err)
			}
			return a.showAnswer("", func() { fmt.Fprintf(a.out, "%s  submitted\n", show.OneLine(job.JobID)) })
		}),
	})
	return cmd
}

func (a *App) writeEmbeddings(c models.EmbeddingConfig) {
	fmt.Fprintf(a.out, "this server embeds with  %s\n", show.OneLine(c.Model))
	graph := "nothing yet"
	if c.GraphModel != "" {
		graph = show.OneLine(c.GraphModel)
	}
	if c.GraphDimensions > 0 {
		graph += fmt.Sprintf(" (%d dimensions)", c.GraphDimensions)
	}
	fmt.Fprintf(a.out, "the graph is embedded with  %s\n", graph)
	switch {
	case c.Reembedding:
		fmt.Fprintln(a.out, "a job embeds it anew; documents wait")
	case !c.Matches && c.GraphModel != "":
		fmt.Fprintln(a.out, "documents wait; to change the graph: kg admin embeddings reembed")
	}
}
