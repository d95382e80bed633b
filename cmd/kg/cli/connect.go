package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// NewConnectCommand returns kg connect, which finds paths between two concepts.
func NewConnectCommand(a *App) *cobra.Command {
	var q questions.ConnectBySearchQuery
	cmd := &cobra.Command{
		Use:   "connect FROM TO",
		Short: "Find paths between two concepts",
		Long: `Find paths between two concepts, the shortest first. Two words that both contain a
hyphen or an underscore are taken as ids; otherwise, and when there are no such ids,
both are phrases, and the concepts that they mean are named on standard error.`,
		Example: "  kg connect \"approval\" \"heartbeat\"\n  kg connect lane_1 job_12 --max-hops 3",
		Args:    cobra.ExactArgs(2),
		RunE: a.withChecked(func(_ *cobra.Command, args []string) error {
			q.FromQuery, q.ToQuery = args[0], args[1]
			return misused(q.Validate())
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error { return a.connect(cmd, c, q) }),
	}
	cmd.Flags().IntVar(&q.MaxHops, "max-hops", 5, "how long a path may be, 1 to 10 relationships")
	cmd.Flags().Float64Var(&q.Threshold, "min-similarity", questions.DefaultPhraseSimilarity, "how near a concept must be to its phrase, 0 to 1")
	addWithin(cmd, &q.Ontology)
	addEvidence(cmd, &q.IncludeEvidence)
	addStatuses(cmd, &q.EpistemicFilter)
	addWeak(cmd, &q.EpistemicFilter)
	addRelationships(cmd, &q.RelationshipFilter)
	addPathPage(cmd, &q.PathPage)
	addStatistics(cmd, &q.IncludeStatistics)
	addMeasures(cmd, &q.Measures)
	return cmd
}

// connect shows the paths between two ids or two phrases.
func (a *App) connect(cmd *cobra.Command, c *client.Client, q questions.ConnectBySearchQuery) error {
	var unknown error
	if looksLikeID(q.FromQuery) && looksLikeID(q.ToQuery) {
		found, err := c.Graph.Connect(cmd.Context(), questions.ConnectQuery{FromID: q.FromQuery, ToID: q.ToQuery, Ontology: q.Ontology, MaxHops: q.MaxHops, IncludeEvidence: q.IncludeEvidence, EpistemicFilter: q.EpistemicFilter, RelationshipFilter: q.RelationshipFilter, PathPage: q.PathPage, IncludeStatistics: q.IncludeStatistics, Measures: q.Measures})
		if err == nil {
			return a.showAnswer("paths", func() { a.writePaths(found) })
		}
		if unknown = err; kappa.ErrorCode(err) != kappa.CodeNotFound {
			return fmt.Errorf("connect the concepts: %w", err)
		}
	}
	found, err := c.Graph.ConnectBySearch(cmd.Context(), q)
	if unknown != nil && kappa.ErrorCode(err) == kappa.CodeNotFound {
		return fmt.Errorf("connect the concepts: %w", unknown) // neither ids nor phrases
	}
	if err != nil {
		return fmt.Errorf("connect the phrases: %w", err)
	}
	a.noteMeaning(q.FromQuery, found.FromConcept, found.FromSimilarity)
	a.noteMeaning(q.ToQuery, found.ToConcept, found.ToSimilarity)
	return a.showAnswer("paths", func() {
		result := questions.ConnectResult{FromID: q.FromQuery, ToID: q.ToQuery, MaxHops: found.MaxHops, Count: found.Count, Paths: found.Paths, ShownPaths: found.ShownPaths, Statistics: found.Statistics, Completeness: found.Completeness}
		a.writePaths(result)
	})
}

// noteMeaning says which concept a phrase was taken for.
func (a *App) noteMeaning(phrase string, concept *questions.PathNode, similarity *float64) {
	if concept != nil && similarity != nil && concept.ID != phrase {
		a.note("%q is taken as %s (%s, similarity %.2f)", show.OneLine(phrase), show.OneLine(concept.Label), concept.ID, *similarity)
	}
}
