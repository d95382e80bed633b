package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func newWithinCommand(a *App) *cobra.Command {
	var q questions.AroundQuery
	cmd := &cobra.Command{
		Use:   "within CONCEPT...",
		Short: "Find the concepts within some relationships of any of several",
		Long: `List the concepts within some relationships of any of several, nearest first, a page
at a time. --statistics says what was read of the graph for it.`,
		Example: "  kg graph within lane slot --max-hops 2 --min-confidence 0.6",
		Args:    cobra.MinimumNArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			q.SeedIDs = slices.Clone(args)
			for i := range q.SeedIDs {
				if err := a.resolveIn(cmd.Context(), c, q.Ontology, &q.SeedIDs[i]); err != nil {
					return err
				}
			}
			if err := q.Validate(); err != nil {
				return misused(err)
			}
			found, err := c.Graph.Around(cmd.Context(), q)
			if err != nil {
				return fmt.Errorf("search around the concepts: %w", err)
			}
			return a.showAnswer("results", func() { a.writeAround(found) })
		}),
	}
	cmd.Flags().IntVar(&q.MaxHops, "max-hops", 2, "how many relationships away at most, 1 to 5")
	cmd.Flags().IntVar(&q.Limit, "limit", 50, "concepts of the page, 1 to 1000")
	cmd.Flags().IntVar(&q.Offset, "offset", 0, "concepts before the page")
	addStatistics(cmd, &q.IncludeStatistics)
	addWithin(cmd, &q.Ontology)
	addStatuses(cmd, &q.EpistemicFilter)
	addWeak(cmd, &q.EpistemicFilter)
	addRelationships(cmd, &q.RelationshipFilter)
	return cmd
}

// writeAround shows a page of the concepts around several.
func (a *App) writeAround(found questions.Around) {
	if found.Total == 0 {
		a.note("Nothing is within %d relationships of %s.", found.MaxHops, strings.Join(found.SeedIDs, ", "))
	}
	g := show.NewGrid(show.Column{Name: "away", Right: true}, show.Column{Name: "concept", Flex: true}, show.Column{Name: "relationships", Right: true}, show.Column{Name: "id"})
	for _, c := range found.Results {
		g.Add(fmt.Sprint(c.Distance), c.Label, show.Number(c.Degree), c.ConceptID)
	}
	if found.Count > 0 {
		a.writeGrid(g, nil)
	}
	if next := found.Offset + found.Count; next < found.Total {
		a.note("%d to %d of %d; go on with --offset %d.", found.Offset+1, next, found.Total, next)
	}
	a.noteMissing(found.Completeness)
	a.noteStatistics(found.Statistics)
}
