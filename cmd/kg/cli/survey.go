package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func newCentralityCommand(a *App) *cobra.Command {
	var q questions.CentralityQuery
	cmd := &cobra.Command{
		Use:   "centrality",
		Short: "Rank the concepts by how central they are in the graph",
		Long: `Rank concepts by how much in the centre they are, by their PageRank, of the whole
graph or of one ontology.`,
		Example: `  kg graph centrality --ontology earth --limit 3`,
		Args:    cobra.NoArgs,
		RunE: a.withChecked(func(*cobra.Command, []string) error { return misused(q.Validate()) }, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			found, err := c.Graph.Centrality(cmd.Context(), q)
			if err != nil {
				return fmt.Errorf("rank the concepts: %w", err)
			}
			return a.showAnswer("results", func() { a.writeCentrality(found) })
		}),
	}
	cmd.Flags().StringVar(&q.Ontology, "ontology", "", "only concepts of this ontology")
	cmd.Flags().IntVar(&q.Limit, "limit", 20, "how many to show at most, 1 to 1000")
	return cmd
}

func (a *App) writeCentrality(found questions.Centrality) {
	if len(found.Results) == 0 {
		a.note("There are no concepts yet.")
		return
	}
	g := show.NewGrid(show.Column{Name: "rank", Right: true}, show.Column{Name: "concept", Flex: true}, show.Column{Name: "in", Right: true}, show.Column{Name: "out", Right: true}, show.Column{Name: "grounding", Right: true}, show.Column{Name: "id"})
	for _, c := range found.Results {
		g.Add(fmt.Sprintf("%.4f", c.Rank), c.Label, show.Number(c.In), show.Number(c.Out), figure(c.Strength), c.ConceptID)
	}
	a.writeGrid(g, nil)
	a.writeSurveyed(found.Surveyed)
}

// writeSurveyed says what an analysis has read.
func (a *App) writeSurveyed(s questions.Surveyed) {
	fmt.Fprintf(a.out, "\nof %s and %s\n", show.Counted(s.Concepts, "concept"), show.Counted(s.Relationships, "relationship"))
}

func newCommunitiesCommand(a *App) *cobra.Command {
	var q questions.CommunitiesQuery
	cmd := &cobra.Command{
		Use:   "communities",
		Short: "Find the concepts that belong together",
		Long: `Find the concepts that belong together, of the whole graph or of one ontology.
Above 1 --resolution makes more and smaller communities.`,
		Example: `  kg graph communities --resolution 1 --limit 20 --per-community 5`,
		Args:    cobra.NoArgs,
		RunE: a.withChecked(func(*cobra.Command, []string) error { return misused(q.Validate()) }, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			found, err := c.Graph.Communities(cmd.Context(), q)
			if err != nil {
				return fmt.Errorf("find the communities: %w", err)
			}
			return a.showAnswer("communities", func() { a.writeCommunities(found) })
		}),
	}
	cmd.Flags().StringVar(&q.Ontology, "ontology", "", "only concepts of this ontology")
	cmd.Flags().Float64Var(&q.Resolution, "resolution", 1, "above 1: more and smaller communities, 0.01 to 100")
	cmd.Flags().IntVar(&q.Limit, "limit", 20, "communities at most, 1 to 1000")
	cmd.Flags().IntVar(&q.PerGroup, "per-community", 5, "concepts shown of each, 1 to 100")
	return cmd
}

func (a *App) writeCommunities(found questions.Communities) {
	if len(found.Communities) == 0 {
		a.note("There are no concepts yet.")
		return
	}
	g := show.NewGrid(show.Column{Name: "concepts", Right: true}, show.Column{Name: "share", Right: true}, show.Column{Name: "about", Flex: true})
	for _, c := range found.Communities {
		about := []string{c.Name}
		for _, concept := range c.Concepts[min(len(c.Concepts), 3):] {
			about = append(about, concept.Label)
		}
		g.Add(show.Number(c.Size), fmt.Sprintf("%.0f %%", 100*c.Share), strings.Join(about, ", "))
	}
	a.writeGrid(g, nil)
	a.writeSurveyed(found.Surveyed)
	fmt.Fprintf(a.out, "%s, modularity %.2f\n", communities(found.Count), found.Modularity)
}

func communities(n int) string {
	if n == 1 {
		return "1 community"
	}
	return show.Number(n) + " communities"
}

func newAboutCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:     "about NAME",
		Short:   "Say what an ontology is about: its largest communities",
		Example: `  kg ontology about earth`,
		Args:    cobra.ExactArgs(1),
		RunE: a.withChecked(func(_ *cobra.Command, args []string) error {
			return misused(questions.CommunitiesQuery{Ontology: args[0], Resolution: 1, Limit: 1, PerGroup: 1}.Validate())
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			found, err := c.Ontologies.About(cmd.Context(), args[0])
			if err != nil {
				return fmt.Errorf("read what the ontology is about: %w", err)
			}
			return a.showAnswer("communities", func() { a.writeCommunities(found) })
		}),
	}
}
