package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// NewVocabCommand returns kg vocab, which shows the relationship types.
func NewVocabCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "vocab", Short: "Show, measure, sort and merge the relationship types", RunE: onlySubcommands}
	status := &cobra.Command{Use: "epistemic-status", Short: "Show how well relationship types are grounded", RunE: onlySubcommands}
	status.AddCommand(newStatusListCommand(a), newStatusShowCommand(a), newStatusMeasureCommand(a))
	cmd.AddCommand(newVocabStatusCommand(a), newVocabTypesCommand(a), status, newVocabSimilarCommand(a), newVocabAnalyzeCommand(a), newVocabAddCommand(a), newVocabMergeCommand(a),
		newVocabMergesCommand(a), newVocabUndoCommand(a), newVocabConsolidateCommand(a), newVocabReviewCommand(a), newVocabRefreshCommand(a), newVocabEmbedCommand(a), newVocabConfigCommand(a))
	return cmd
}

func newVocabStatusCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:     "status",
		Short:   "Show how large the vocabulary is, and whether it should be merged",
		Example: `  kg vocab status`,
		Args:    cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			s, err := c.Vocabulary.Status(cmd.Context())
			if err != nil {
				return fmt.Errorf("show the vocabulary: %w", err)
			}
			return a.showAnswer("", func() {
				fmt.Fprintf(a.out, "%s: %d built in, %d from documents, in %d categories\n", show.Counted(s.Size, "type"), s.Builtin, s.Custom, s.Categories)
				fmt.Fprintf(a.out, "zone %s, aggressiveness %.2f (profile %s)\n", show.OneLine(s.Zone), s.Aggressiveness, show.OneLine(s.Profile))
				fmt.Fprintf(a.out, "merged from %d types on, ever more eagerly up to %d; none is added from %d on\n", s.Min, s.Max, s.Emergency)
			})
		}),
	}
}

func newVocabTypesCommand(a *App) *cobra.Command {
	var custom bool
	cmd := &cobra.Command{
		Use:     "types",
		Short:   "List the relationship types",
		Example: `  kg vocab types --custom`,
		Args:    cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			types, err := c.Vocabulary.Types(cmd.Context(), !custom)
			if err != nil {
				return fmt.Errorf("list the types: %w", err)
			}
			return a.showAnswer("types", func() { a.writeTypes(types) })
		}),
	}
	cmd.Flags().BoolVar(&custom, "custom", false, "only those that documents brought in")
	return cmd
}

func (a *App) writeTypes(types []vocabulary.Type) {
	if len(types) == 0 {
		a.note("There are no such types.")
		return
	}
	g := show.NewGrid(show.Column{Name: "type", Flex: true}, show.Column{Name: "category"}, show.Column{Name: "edges", Right: true}, show.Column{Name: "axis", Right: true}, show.Column{Name: "grounding", Right: true}, show.Column{Name: "status"})
	for _, t := range types {
		edges, status := "–", "–"
		if t.EdgeCount != nil {
			edges = show.Number(*t.EdgeCount)
		}
		if t.Status != nil {
			status = *t.Status
		}
		g.Add(t.Name, t.Category, edges, figure(t.Projection), figure(t.AvgGrounding), status)
	}
	a.writeGrid(g, nil)
}

func newStatusListCommand(a *App) *cobra.Command {
	var status string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the epistemic status of the relationship types",
		Example: `  kg vocab epistemic-status list --status weak_grounding`,
		Args:    cobra.NoArgs,
		RunE: a.withChecked(func(*cobra.Command, []string) error {
			if status = strings.ToUpper(status); status == "" {
				return nil
			}
			return misused(knowledge.CheckEpistemicStatus("query", "status", status))
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			list, err := c.Vocabulary.EpistemicStatuses(cmd.Context(), status)
			if err != nil {
				return fmt.Errorf("list the statuses: %w", err)
			}
			return a.showAnswer("types", func() {
				a.writeStatuses(list.Types)
				if list.Last == nil {
					a.note("Nothing was measured yet.")
				} else if list.Changes != nil && *list.Changes > 0 {
					a.note("%s since the last measurement.", show.Counted(*list.Changes, "new type"))
				}
			})
		}),
	}
	cmd.Flags().StringVar(&status, "status", "", "only types of this status")
	completeWith(cmd, "status", knowledge.EpistemicStatuses()...)
	return cmd
}

func (a *App) writeStatuses(types []vocabulary.TypeEpistemic) {
	if len(types) == 0 {
		a.note("There are no such types.")
		return
	}
	g := show.NewGrid(show.Column{Name: "type", Flex: true}, show.Column{Name: "status"}, show.Column{Name: "grounding", Right: true}, show.Column{Name: "concepts", Right: true}, show.Column{Name: "edges", Right: true})
	for _, t := range types {
		grounding, concepts, edges := "–", "–", "–"
		if s := t.Stats; s != nil {
			grounding, concepts, edges = figure(s.Avg), show.Number(s.Concepts), show.Number(s.Total)
		}
		g.Add(t.Type, t.Status, grounding, concepts, edges)
	}
	a.writeGrid(g, nil)
}

func newStatusShowCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:     "show TYPE",
		Short:   "Show the epistemic status of a relationship type, and why it has it",
		Example: `  kg vocab epistemic-status show RELATED_TO`,
		Args:    cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			t, err := c.Vocabulary.EpistemicStatus(cmd.Context(), args[0])
			if err != nil {
				return fmt.Errorf("show the status: %w", err)
			}
			return a.showAnswer("", func() {
				fmt.Fprintf(a.out, "%s  %s\n", a.paint(a.out).Bold(show.OneLine(t.Type)), show.OneLine(t.Status))
				if t.Rationale != nil {
					fmt.Fprintln(a.out, show.Wrap(show.OneLine(*t.Rationale), a.Out().Width(), "", ""))
				}
				if s := t.Stats; s != nil {
					fmt.Fprintf(a.out, "grounding %s, from %s to %s, standard deviation %s\n", figure(s.Avg), figure(s.Min), figure(s.Max), figure(s.Std))
					fmt.Fprintf(a.out, "%s sampled of %s\n", show.Counted(s.Sampled, "edge"), show.Number(s.Total))
				}
				if t.MeasuredAt == nil {
					a.note("It was not measured yet.")
				}
			})
		}),
	}
}

func newStatusMeasureCommand(a *App) *cobra.Command {
	m := client.Measurement{}
	var dry bool
	cmd := &cobra.Command{
		Use:   "measure",
		Short: "Measure the epistemic status of all relationship types now",
		Long: `Measure how well the concepts are grounded that relationships of each type lead to.
It happens by itself some seconds after the graph has changed.`,
		Example: `  kg vocab epistemic-status measure --sample-size 50 --dry-run --all`,
		Args:    cobra.NoArgs,
		RunE: a.withChecked(func(*cobra.Command, []string) error {
			m.Store = !dry
			return misused(vocabulary.CheckSampleSize("sample_size", m.SampleSize))
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			found, err := c.Vocabulary.Measure(cmd.Context(), m)
			if err != nil {
				return fmt.Errorf("measure the types: %w", err)
			}
			return a.showAnswer("sample_results", func() { a.writeMeasured(found) })
		}),
	}
	cmd.Flags().IntVar(&m.SampleSize, "sample-size", vocabulary.DefaultSampleSize, "how many edges of each type to look at, 1 to 10000")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "keep nothing of what was measured")
	cmd.Flags().BoolVar(&m.Verbose, "all", false, "show every type, and not the ten with the most edges")
	return cmd
}

func (a *App) writeMeasured(m api.Measured) {
	a.writeStatuses(m.Results)
	fmt.Fprintf(a.out, "\n%s, %d stored\n", show.OneLine(m.Message), m.Stored)
	for _, status := range slices.Sorted(maps.Keys(m.Classifications)) {
		fmt.Fprintf(a.out, "  %d %s\n", m.Classifications[status], show.OneLine(status))
	}
}
