package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/draw"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/projection"
)

// globalWord stands for all ontologies on the command line.
const globalWord = "global"

// NewProjectionCommand returns kg projection, which makes pictures of what is near to
// what.
func NewProjectionCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "projection", Short: "Make pictures of which concepts are near to each other", RunE: onlySubcommands}
	cmd.AddCommand(newProjectionShowCommand(a), newProjectionRegenerateCommand(a), newProjectionPlotCommand(a), newProjectionDeleteCommand(a), newProjectionAlgorithmsCommand(a))
	return cmd
}

// named returns the ontology that an argument means.
func named(ontology string) string {
	if ontology == globalWord {
		return projection.AllOntologies
	}
	return ontology
}

// sourceFlag adds the flag for what is projected.
func sourceFlag(cmd *cobra.Command, source *string) {
	cmd.Flags().StringVar(source, "source", projection.ProjectConcepts, "what to project: "+strings.Join(projection.Sources(), ", "))
	completeWith(cmd, "source", projection.Sources()...)
}

func newProjectionShowCommand(a *App) *cobra.Command {
	var source string
	var limit int
	cmd := &cobra.Command{
		Use:   "show ONTOLOGY",
		Short: "Show the projection of an ontology, or of all of them for " + globalWord,
		Args:  cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			p, stale, err := c.Projections.Get(cmd.Context(), named(args[0]), source)
			if err != nil {
				return fmt.Errorf("show the projection: %w", err)
			}
			return a.showAnswer("concepts", func() { a.writeProjection(p, stale, limit) })
		}),
	}
	sourceFlag(cmd, &source)
	cmd.Flags().IntVar(&limit, "limit", 20, "how many items to list at most")
	return cmd
}

// writeProjection draws what a projection is about, and its clusters.
func (a *App) writeProjection(p projection.Projection, stale bool, limit int) {
	s := p.Statistics
	fmt.Fprintf(a.out, "%s  %s\n", a.paint(a.out).Bold(show.OneLine(p.Ontology)), a.paint(a.out).Dim(p.ChangelistID))
	fmt.Fprintf(a.out, "%s by %s in %d dimensions, trustworthiness %.3f\n", show.Counted(s.Concepts, "item"), p.Algorithm, p.Parameters.Components, s.Trustworthiness)
	fmt.Fprintf(a.out, "made %s in %.1f s\n", p.ComputedAt, float64(s.Milliseconds)/1000)
	if stale {
		a.note("It is stale: the graph has changed since. kg projection regenerate makes a new one.")
	}
	if s.Clusters > 0 {
		g := show.NewGrid(show.Column{Name: "cluster", Right: true}, show.Column{Name: "around", Flex: true}, show.Column{Name: "items", Right: true})
		for i := range s.Clusters {
			key := strconv.Itoa(i)
			g.Add(key, s.ClusterNames[key], show.Number(s.ClusterSizes[key]))
		}
		a.writeGrid(g, nil)
	}
	g := show.NewGrid(show.Column{Name: "item", Flex: true}, show.Column{Name: "x", Right: true}, show.Column{Name: "y", Right: true}, show.Column{Name: "z", Right: true}, show.Column{Name: "cluster", Right: true})
	for _, place := range p.Places[:max(0, min(limit, len(p.Places)))] {
		cluster := "–"
		if place.Cluster != nil {
			cluster = strconv.Itoa(*place.Cluster)
		}
		g.Add(place.Label, fmt.Sprintf("%.2f", place.X), fmt.Sprintf("%.2f", place.Y), fmt.Sprintf("%.2f", place.Z), cluster)
	}
	a.writeGrid(g, nil)
	if more := len(p.Places) - limit; more > 0 {
		a.note("There are %d more: --limit shows them.", more)
	}
}

func newProjectionRegenerateCommand(a *App) *cobra.Command {
	q := projection.NewQuery("")
	cmd := &cobra.Command{
		Use:     "regenerate ONTOLOGY",
		Short:   "Make the projection of an ontology anew, in a job",
		Example: "  kg projection regenerate Energy --dimensions 2\n  kg projection regenerate global --source combined --algorithm pca",
		Args:    cobra.ExactArgs(1),
		RunE: a.withChecked(func(_ *cobra.Command, args []string) error {
			q.Ontology = named(args[0])
			return misused(q.Validate("flag", ""))
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			reply, err := c.Projections.Create(cmd.Context(), q)
			if err != nil {
				return fmt.Errorf("make the projection: %w", err)
			}
			if reply.JobID == nil {
				return a.showAnswer("", func() { fmt.Fprintln(a.out, show.OneLine(reply.Message)) })
			}
			return a.awaitProjection(cmd.Context(), c, q, *reply.JobID)
		}),
	}
	sourceFlag(cmd, &q.Source)
	cmd.Flags().StringVar(&q.Algorithm, "algorithm", q.Algorithm, "one of "+strings.Join(projection.Algorithms(), ", "))
	completeWith(cmd, "algorithm", projection.Algorithms()...)
	cmd.Flags().IntVar(&q.Components, "dimensions", q.Components, "2 or 3")
	cmd.Flags().Float64Var(&q.Perplexity, "perplexity", q.Perplexity, "how many neighbours of each item count, 2 to 100")
	cmd.Flags().StringVar(&q.Metric, "metric", q.Metric, "cosine or euclidean")
	cmd.Flags().BoolVar(&q.Force, "force", false, "also when the one that is kept is of the same input")
	cmd.Flags().BoolVar(&q.CreateArtifact, "save-artifact", false, "keep the projection as an artifact too")
	return cmd
}

// awaitProjection follows a job to its end, and shows the projection that it has made.
func (a *App) awaitProjection(ctx context.Context, c *client.Client, q projection.Query, jobID string) error {
	if _, err := a.awaitJob(ctx, c, jobID); err != nil {
		return err
	}
	p, stale, err := c.Projections.Get(ctx, q.Ontology, q.Source)
	if err != nil {
		return fmt.Errorf("show the projection: %w", err)
	}
	return a.showAnswer("concepts", func() { a.writeProjection(p, stale, 0) })
}

func newProjectionPlotCommand(a *App) *cobra.Command {
	var source, file, format string
	var labels bool
	cmd := &cobra.Command{
		Use:     "plot ONTOLOGY",
		Short:   "Draw the projection of an ontology as SVG or PNG",
		Example: "  kg projection plot Energy --file energy.svg\n  kg projection plot global --file all.png --labels=false",
		Args:    cobra.ExactArgs(1),
		RunE: a.withChecked(func(*cobra.Command, []string) error {
			if format == "" {
				format = strings.TrimPrefix(strings.ToLower(filepath.Ext(file)), ".")
			}
			if format == "" && file == "" {
				format = "svg"
			}
			if !slices.Contains(draw.ProjectionFormats(), format) {
				return exit.Usage("--format: must be svg or png, got %q", format)
			}
			return nil
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			p, stale, err := c.Projections.Get(cmd.Context(), named(args[0]), source)
			if err != nil {
				return fmt.Errorf("read the projection: %w", err)
			}
			if stale {
				a.note("The projection is stale: the graph has changed since.")
			}
			write := func(w io.Writer) error { return draw.Projection(w, p, format, labels) }
			if file == "" {
				return write(a.out)
			}
			return writeWhole(file, write)
		}),
	}
	sourceFlag(cmd, &source)
	cmd.Flags().StringVar(&file, "file", "", "write to this file instead of standard output")
	cmd.Flags().StringVar(&format, "format", "", "svg or png; default: what the name of the file says, or svg")
	cmd.Flags().BoolVar(&labels, "labels", true, "name the items with the most relationships")
	completeWith(cmd, "format", draw.ProjectionFormats()...)
	return cmd
}

func newProjectionDeleteCommand(a *App) *cobra.Command {
	var source string
	var dry bool
	cmd := &cobra.Command{
		Use:     "delete ONTOLOGY",
		Short:   "Delete the projections of an ontology; a new one can be made any time",
		Example: `  kg projection delete global --source concepts`,
		Args:    cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			if dry {
				r, err := c.Projections.PreviewDelete(cmd.Context(), named(args[0]), source)
				if err != nil {
					return fmt.Errorf("preview the deletion of the projection: %w", err)
				}
				return a.showAnswer("", func() {
					fmt.Fprintf(a.out, "%s of %s would go\n", show.Counted(int(r.Count), "projection"), show.OneLine(args[0]))
				})
			}
			if err := c.Projections.Delete(cmd.Context(), named(args[0]), source); err != nil {
				return fmt.Errorf("delete the projection: %w", err)
			}
			return a.showAnswer("", func() { a.note("The projection of %s is deleted.", show.OneLine(args[0])) })
		}),
	}
	cmd.Flags().StringVar(&source, "source", "", "only of these items; default: of any")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be deleted")
	return cmd
}

func newProjectionAlgorithmsCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:     "algorithms",
		Short:   "List the algorithms that projections are made by",
		Example: `  kg projection algorithms`,
		Args:    cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			known, err := c.Projections.Algorithms(cmd.Context())
			if err != nil {
				return fmt.Errorf("list the algorithms: %w", err)
			}
			return a.showAnswer("available", func() {
				for _, name := range known.Available {
					if name == known.Default {
						name += " (default)"
					}
					fmt.Fprintln(a.out, show.OneLine(name))
				}
			})
		}),
	}
}
