package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/curation"
)

func newOntologyDissolveCommand(a *App) *cobra.Command {
	var into string
	var dry bool
	cmd := &cobra.Command{
		Use: "dissolve NAME", Short: "Move all of an ontology to another one; kg ontology proposal undo reverts it", Long: `Move all of an ontology into another one at once. It is undone like a proposal.`, Example: `  kg ontology dissolve minutes --into energy --dry-run`, Args: cobra.ExactArgs(1),
		RunE: a.withChecked(func(_ *cobra.Command, args []string) error {
			return checkMove(curation.Reassignment{From: args[0], To: into})
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			moved, err := c.Ontologies.Dissolve(cmd.Context(), args[0], into, dry)
			if err != nil {
				return fmt.Errorf("dissolve the ontology: %w", err)
			}
			return a.showAnswer("", func() { a.writeMoved(moved.Sources, moved.ProposalID, moved.DryRun) })
		}),
	}
	cmd.Flags().StringVar(&into, "into", "", "the ontology that takes its documents")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be moved")
	return cmd
}

func checkMove(m curation.Reassignment) error {
	if m.To == "" {
		return exit.Usage("--into must name the ontology that takes them")
	}
	return misused(m.Validate())
}

func newOntologyReassignCommand(a *App) *cobra.Command {
	m := curation.Reassignment{}
	cmd := &cobra.Command{
		Use: "reassign NAME SOURCE...", Short: "Move chunks of an ontology to another one; kg ontology proposal undo reverts it", Long: `Move some chunks of an ontology into another one. It is undone like a proposal.`, Args: cobra.MinimumNArgs(2),
		Example: "  kg ontology reassign minutes src_4c1 src_4c2 --into energy",
		RunE: a.withChecked(func(_ *cobra.Command, args []string) error {
			m.From, m.SourceIDs = args[0], args[1:]
			return checkMove(m)
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			moved, err := c.Ontologies.ReassignSources(cmd.Context(), m)
			if err != nil {
				return fmt.Errorf("move chunks: %w", err)
			}
			return a.showAnswer("", func() { a.writeMoved(moved.Sources, moved.ProposalID, moved.DryRun) })
		}),
	}
	cmd.Flags().StringVar(&m.To, "into", "", "the ontology that takes them")
	cmd.Flags().BoolVar(&m.DryRun, "dry-run", false, "only say what would be moved")
	return cmd
}

func newOntologyEdgesCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "edges NAME", Short: "List how an ontology overlaps with others, as of the last annealing", Example: `  kg ontology edges energy`, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			list, err := c.Ontologies.Edges(cmd.Context(), args[0])
			if err != nil {
				return fmt.Errorf("list the edges of the ontology: %w", err)
			}
			return a.showAnswer("edges", func() {
				if len(list) == 0 {
					a.note("It shares no concept with another ontology, or none was annealed yet: kg ontology anneal.")
					return
				}
				g := show.NewGrid(show.Column{Name: "from", Flex: true}, show.Column{Name: "type"}, show.Column{Name: "to", Flex: true}, show.Column{Name: "score", Right: true}, show.Column{Name: "shared", Right: true})
				for _, e := range list {
					g.Add(e.From, e.Kind, e.To, fmt.Sprintf("%.2f", e.Score), show.Number(e.Shared))
				}
				a.writeGrid(g, nil)
			})
		}),
	}
}

func (a *App) writeMoved(chunks, proposal int, dryRun bool) {
	if dryRun {
		fmt.Fprintf(a.out, "%s would be moved\n", show.Counted(chunks, "chunk"))
		return
	}
	fmt.Fprintf(a.out, "%s moved; kg ontology proposal undo %d takes it back\n", show.Counted(chunks, "chunk"), proposal)
}
