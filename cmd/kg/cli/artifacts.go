package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// NewArtifactsCommand returns kg artifacts, which keeps results.
func NewArtifactsCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "artifacts", Aliases: []string{"artifact"}, Short: "List, show, recompute and delete stored results", RunE: onlySubcommands}
	cmd.AddCommand(newArtifactsListCommand(a), newArtifactsShowCommand(a), newArtifactsPayloadCommand(a), newArtifactsDownloadCommand(a), newArtifactsRegenerateCommand(a), newArtifactsDeleteCommand(a), newArtifactsCleanupCommand(a))
	return cmd
}

func newArtifactsListCommand(a *App) *cobra.Command {
	var artifactType, ontology string
	f := artifacts.Filter{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the results that are kept, newest first",
		Long: `List the results that are kept; administrators see those of everybody. GRAPH says
whether the graph is still the one that a result was computed from.`,
		Example: `  kg artifacts list --type polarity_analysis --limit 10 --offset 0`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if artifactType != "" {
				f.Type = &artifactType
			}
			if ontology != "" {
				f.Ontology = &ontology
			}
			if err := f.Validate(); err != nil {
				return &exit.Error{Code: exit.Misused, Err: err}
			}
			c, err := a.client()
			if err != nil {
				return err
			}
			defer c.Close()
			found, err := c.Artifacts.List(cmd.Context(), f)
			if err != nil {
				return fmt.Errorf("list artifacts: %w", err)
			}
			return a.showAnswer("artifacts", func() { a.writeArtifacts(found) })
		},
	}
	cmd.Flags().StringVar(&artifactType, "type", "", "only of this type")
	cmd.Flags().StringVar(&ontology, "ontology", "", "only of this ontology")
	cmd.Flags().IntVar(&f.Limit, "limit", 50, "how many to list at most, 1 to 500")
	cmd.Flags().IntVar(&f.Offset, "offset", 0, "how many to leave out at the beginning")
	completeWith(cmd, "type", artifacts.Types()...)
	return cmd
}

// onArtifact returns a command that does something to the artifact that it names.
func (a *App) onArtifact(use, short string, do func(ctx context.Context, c *client.Client, id int) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " ID", Short: short, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			id, err := numberOf(args[0], "the id of an artifact", "")
			if err != nil {
				return err
			}
			return do(cmd.Context(), c, id)
		}),
	}
}

func newArtifactsShowCommand(a *App) *cobra.Command {
	return a.onArtifact("show", "Show what is kept, and what it was computed with", func(ctx context.Context, c *client.Client, id int) error {
		artifact, err := c.Artifacts.Get(ctx, id)
		if err != nil {
			return fmt.Errorf("show the artifact: %w", err)
		}
		return a.showAnswer("", func() { a.writeArtifact(artifact) })
	})
}

func newArtifactsPayloadCommand(a *App) *cobra.Command {
	return a.onArtifact("payload", "Show the result itself", a.showPayload)
}

// showPayload draws a result of a kind that kg knows, and shows others as JSON.
func (a *App) showPayload(ctx context.Context, c *client.Client, id int) error {
	artifact, err := c.Artifacts.Payload(ctx, id)
	if err != nil {
		return fmt.Errorf("read the artifact: %w", err)
	}
	var polarity questions.PolarityResult
	drawn := artifact.Type == artifacts.Polarity && json.Unmarshal(artifact.Payload, &polarity) == nil && polarity.Success
	return a.showAnswer("", func() {
		if drawn {
			a.writePolarity(polarity)
			return
		}
		fmt.Fprintln(a.out, show.Printable(string(artifact.Payload)))
	})
}

func newArtifactsRegenerateCommand(a *App) *cobra.Command {
	return a.onArtifact("regenerate", "Compute a result again with the graph as it is now, as a new artifact", func(ctx context.Context, c *client.Client, id int) error {
		reply, err := c.Artifacts.Regenerate(ctx, id)
		if err != nil {
			return fmt.Errorf("regenerate the artifact: %w", err)
		}
		return a.awaitArtifact(ctx, c, reply.JobID)
	})
}

func newArtifactsDeleteCommand(a *App) *cobra.Command {
	return a.onArtifact("delete", "Delete a result for good", func(ctx context.Context, c *client.Client, id int) error {
		if err := c.Artifacts.Delete(ctx, id); err != nil {
			return fmt.Errorf("delete the artifact: %w", err)
		}
		a.note("Artifact %d is deleted.", id)
		return nil
	})
}

// writeArtifacts draws a list of artifacts.
func (a *App) writeArtifacts(found api.ArtifactList) {
	if len(found.Artifacts) == 0 {
		a.note("No results are kept: kg polarity analyze --save-artifact keeps one.")
		return
	}
	g := show.NewGrid(show.Column{Name: "id", Right: true}, show.Column{Name: "type"}, show.Column{Name: "name", Flex: true}, show.Column{Name: "graph"}, show.Column{Name: "made"})
	for _, artifact := range found.Artifacts {
		g.Add(strconv.Itoa(artifact.ID), artifact.Type, orEmpty(artifact.Name), freshness(artifact), artifact.CreatedAt.String())
	}
	a.writeGrid(g, nil)
	if more := found.Total - found.Offset - len(found.Artifacts); more > 0 {
		a.note("There are %d more: --offset %d shows the next ones.", more, found.Offset+len(found.Artifacts))
	}
}

// writeArtifact shows one artifact without its payload.
func (a *App) writeArtifact(artifact artifacts.Artifact) {
	p := a.paint(a.out)
	fmt.Fprintf(a.out, "%s  %s\n", p.Bold(show.OneLine(orEmpty(artifact.Name))), p.Dim(artifact.Type+" "+strconv.Itoa(artifact.ID)))
	fmt.Fprintf(a.out, "made:       %s, for %s\n", artifact.CreatedAt, artifact.Representation)
	fmt.Fprintf(a.out, "graph:      %s (epoch %d)\n", freshness(artifact), artifact.GraphEpoch)
	if artifact.ExpiresAt != nil {
		fmt.Fprintf(a.out, "expires:    %s\n", artifact.ExpiresAt)
	}
	fmt.Fprintf(a.out, "concepts:   %d\n", len(artifact.ConceptIDs))
	fmt.Fprintf(a.out, "parameters: %s\n", show.OneLine(string(artifact.Parameters)))
}

// freshness says whether the graph is still the one that an artifact was computed from.
func freshness(artifact artifacts.Artifact) string {
	if artifact.Fresh {
		return "unchanged"
	}
	return "has changed"
}
