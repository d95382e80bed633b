package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// newEdgeListCommand returns the command that lists relationships, which has two names.
func newEdgeListCommand(a *App, use string) *cobra.Command {
	var f questions.EdgeFilter
	cmd := &cobra.Command{
		Use:     use,
		Short:   "List relationships, and where they come from",
		Example: "  kg edges list --type CAUSES --evidence\n  kg edges list --from \"worker lanes\" --ontology ops",
		Args:    cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			if err := a.resolveEnds(cmd, c, &f); err != nil {
				return err
			}
			list, err := c.Edges.List(cmd.Context(), f)
			if err != nil {
				return fmt.Errorf("list the relationships: %w", err)
			}
			return a.showAnswer("edges", func() { a.writeEdges(list) })
		}),
	}
	cmd.Flags().StringVar(&f.FromID, "from", "", "only relationships that point away from this concept")
	cmd.Flags().StringVar(&f.ToID, "to", "", "only relationships that point to this concept")
	cmd.Flags().StringVar(&f.Type, "type", "", "only relationships of this type")
	cmd.Flags().StringVar(&f.Ontology, "ontology", "", "only relationships that were read in it")
	cmd.Flags().Float64Var(&f.MinConfidence, "min-confidence", 0, "only relationships that are at least so certain, 0 to 1")
	cmd.Flags().IntVar(&f.Limit, "limit", 50, "how many to list, 1 to 500")
	cmd.Flags().IntVar(&f.Offset, "offset", 0, "leave out this many")
	addEvidence(cmd, &f.IncludeEvidence)
	return cmd
}

// resolveEnds replaces the words for concepts in f by their ids, once the rest is checked.
func (a *App) resolveEnds(cmd *cobra.Command, c *client.Client, f *questions.EdgeFilter) error {
	wanted := *f
	wanted.FromID, wanted.ToID = "", "" // whatever is meant will be the id of a concept
	if err := wanted.Validate(); err != nil {
		return misused(err)
	}
	for _, id := range []*string{&f.FromID, &f.ToID} {
		if *id == "" {
			continue
		}
		if err := a.resolveAll(cmd.Context(), c, id); err != nil {
			return err
		}
	}
	return nil
}

func (a *App) writeEdges(list api.EdgeList) {
	if len(list.Edges) > 0 && list.Edges[0].Evidence != nil {
		for i, e := range list.Edges {
			if i > 0 {
				fmt.Fprintln(a.out)
			}
			a.writeRelationship(e.FromLabel, show.Arrow(e.Type, true), e.ToLabel, fmt.Sprintf("certain %.2f, %s", e.Confidence, show.Counted(e.Sources, "chunk")))
			a.writeStatements(e.Evidence, "  ")
		}
	} else if len(list.Edges) > 0 {
		g := show.NewGrid(show.Column{Name: "from", Flex: true}, show.Column{Name: "type"}, show.Column{Name: "to", Flex: true},
			show.Column{Name: "certain", Right: true}, show.Column{Name: "chunks", Right: true}, show.Column{Name: "documents", Right: true})
		for _, e := range list.Edges {
			g.Add(e.FromLabel, show.OneLine(e.Type), e.ToLabel, fmt.Sprintf("%.2f", e.Confidence), show.Number(e.Sources), show.Number(e.Documents))
		}
		a.writeGrid(g, nil)
	}
	switch shown := list.Offset + len(list.Edges); {
	case list.Total == 0:
		a.note("No relationship is like that.")
	case len(list.Edges) == 0:
		a.note("There are only %s.", show.Counted(list.Total, "relationship"))
	case shown < list.Total:
		a.note("%s of %s; the next ones: --offset %d", show.Number(len(list.Edges)), show.Counted(list.Total, "relationship"), shown)
	}
}
