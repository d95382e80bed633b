package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// NewGraphCommand returns kg graph, which shows and exports parts of the graph.
func NewGraphCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "graph", Short: "Show, query and export the graph", RunE: onlySubcommands}
	cmd.AddCommand(newNeighborhoodCommand(a), newEnrichedPathCommand(a), newWithinCommand(a), newEdgeListCommand(a, "edges"), newExportCommand(a), newGraphSQLCommand(a), newDrawCommand(a), newCentralityCommand(a), newCommunitiesCommand(a))
	return cmd
}

func newNeighborhoodCommand(a *App) *cobra.Command {
	var q questions.NeighborhoodQuery
	cmd := &cobra.Command{
		Use:     "neighborhood CONCEPT",
		Short:   "Show the concepts around one, and the relationships among them",
		Example: `  kg graph neighborhood glacier --max-hops 1 --limit 5`,
		Args:    cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			q.ConceptID = args[0]
			if err := a.resolveIn(cmd.Context(), c, q.Ontology, &q.ConceptID); err != nil {
				return err
			}
			if err := q.Validate(); err != nil {
				return misused(err)
			}
			found, err := c.Graph.Neighborhood(cmd.Context(), q)
			if err != nil {
				return fmt.Errorf("show the neighbourhood: %w", err)
			}
			return a.showAnswer("nodes", func() { a.writeNeighborhood(found) })
		}),
	}
	cmd.Flags().IntVar(&q.MaxHops, "max-hops", 2, "how many relationships away at most, 1 to 5")
	cmd.Flags().IntVar(&q.Limit, "limit", 50, "concepts at most, that one included, 1 to 1000")
	addRelationships(cmd, &q.RelationshipFilter)
	addStatistics(cmd, &q.IncludeStatistics)
	addWithin(cmd, &q.Ontology)
	addEvidence(cmd, &q.IncludeEvidence)
	addWeak(cmd, &q.EpistemicFilter)
	return cmd
}

func (a *App) writeNeighborhood(found questions.Neighborhood) {
	labels := map[string]string{}
	g := show.NewGrid(show.Column{Name: "away", Right: true}, show.Column{Name: "concept", Flex: true}, show.Column{Name: "relationships", Right: true}, show.Column{Name: "id"})
	for _, n := range found.Nodes {
		labels[n.ConceptID] = n.Label
		g.Add(fmt.Sprint(n.Distance), n.Label, show.Number(n.Degree), n.ConceptID)
	}
	a.writeGrid(g, nil)
	if len(found.Edges) > 0 {
		fmt.Fprintln(a.out)
	}
	for _, e := range found.Edges {
		fmt.Fprintf(a.out, "%s %s %s\n", show.OneLine(labels[e.FromID]), show.Arrow(e.Type, true), show.OneLine(labels[e.ToID]))
		a.writeStatements(e.Evidence, "  ")
	}
	a.noteMissing(found.Completeness)
}

// noteMissing says what an answer lacks.
func (a *App) noteMissing(c questions.Completeness) {
	if !c.Complete && c.Missing != "" {
		a.note("Not complete: %s.", show.OneLine(c.Missing))
	}
}

func newEnrichedPathCommand(a *App) *cobra.Command {
	var q questions.EnrichedPathQuery
	cmd := &cobra.Command{
		Use:   "enriched-path FROM TO",
		Short: "Find paths between two concepts, and show what is around them",
		Long: `Show paths with the neighbours of each concept on them, or with --depth what is up to
three relationships away.`,
		Example: `  kg graph enriched-path soil glacier --per-node 2`,
		Args:    cobra.ExactArgs(2),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			q.FromID, q.ToID = args[0], args[1]
			if err := a.resolveIn(cmd.Context(), c, q.Ontology, &q.FromID, &q.ToID); err != nil {
				return err
			}
			if err := q.Validate(); err != nil {
				return misused(err)
			}
			found, err := c.Graph.EnrichedPath(cmd.Context(), q)
			if err != nil {
				return fmt.Errorf("find the paths: %w", err)
			}
			return a.showAnswer("surroundings", func() { a.writeEnrichedPath(found) })
		}),
	}
	cmd.Flags().IntVar(&q.MaxHops, "max-hops", 5, "how long a path may be, 1 to 10 relationships")
	cmd.Flags().IntVar(&q.PerNode, "per-node", 5, "concepts shown around each one, 1 to 50")
	cmd.Flags().IntVar(&q.Depth, "depth", 0, "how far around each concept to look, 1 to 3 (0: 1)")
	addPathPage(cmd, &q.PathPage)
	addStatistics(cmd, &q.IncludeStatistics)
	addWithin(cmd, &q.Ontology)
	addEvidence(cmd, &q.IncludeEvidence)
	addWeak(cmd, &q.EpistemicFilter)
	addRelationships(cmd, &q.RelationshipFilter)
	return cmd
}

func (a *App) writeEnrichedPath(found questions.EnrichedPath) {
	a.writePaths(questions.ConnectResult{FromID: found.FromID, ToID: found.ToID, MaxHops: found.MaxHops, Count: found.Count, Paths: found.Paths, ShownPaths: found.ShownPaths})
	labels := map[string]string{}
	for _, p := range found.Paths {
		for _, n := range p.Nodes {
			labels[n.ID] = n.Label
		}
	}
	for _, s := range found.Surroundings {
		fmt.Fprintf(a.out, "\n%s\n", a.paint(a.out).Bold(show.OneLine(labels[s.ConceptID])))
		for _, n := range s.Neighbors {
			fmt.Fprintf(a.out, "%s%s %s\n", strings.Repeat("  ", max(1, n.Distance)), show.Arrow(n.Type, n.Forward), show.OneLine(n.Label))
			a.writeStatements(n.Evidence, "    ")
		}
		if more := s.Count - len(s.Neighbors); more > 0 {
			fmt.Fprintf(a.out, "  and %d more\n", more)
		}
	}
	a.noteStatistics(found.Statistics)
	a.noteMissing(found.Completeness)
}

// resolveSeeds replaces each word by the id of the concept that the user means.
func (a *App) resolveSeeds(cmd *cobra.Command, c *client.Client, words []string) error {
	for i := range words {
		if err := a.resolveAll(cmd.Context(), c, &words[i]); err != nil {
			return err
		}
	}
	return nil
}
