package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

// NewOntologyCommand returns kg ontology, which keeps the ontologies and says what they
// are about.
func NewOntologyCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "ontology", Short: "List, create, change, join, split and delete ontologies, and say what one is about", RunE: onlySubcommands}
	cmd.AddCommand(&cobra.Command{
		Use:     "list",
		Short:   "List the ontologies by name",
		Example: `  kg ontology list`,
		Args:    cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			ontologies, err := c.Ontologies.List(cmd.Context())
			if err != nil {
				return fmt.Errorf("list ontologies: %w", err)
			}
			return a.showAnswer("ontologies", func() {
				if len(ontologies) == 0 {
					a.note("No ontologies yet: kg ingest file --ontology NAME PATH makes one.")
					return
				}
				g := show.NewGrid(show.Column{Name: "ontology", Flex: true}, show.Column{Name: "files", Right: true}, show.Column{Name: "chunks", Right: true}, show.Column{Name: "concepts", Right: true}, show.Column{Name: "state"})
				for _, o := range ontologies {
					g.Add(o.Name, show.Number(o.FileCount), show.Number(o.SourceCount), show.Number(o.ConceptCount), o.LifecycleState)
				}
				a.writeGrid(g, nil)
			})
		}),
	})
	cmd.AddCommand(newAboutCommand(a), newOntologyShowCommand(a), newOntologyFilesCommand(a), newOntologyCreateCommand(a), newOntologyRenameCommand(a),
		newOntologyLifecycleCommand(a), newOntologyKeepVersionsCommand(a), newOntologyDeleteCommand(a), newOntologyTombstonesCommand(a), newOntologyScoresCommand(a),
		newOntologyCandidatesCommand(a), newOntologyAffinityCommand(a), newOntologyProposalsCommand(a), newOntologyProposalCommand(a), newOntologyAnnealCommand(a),
		newOntologyDissolveCommand(a), newOntologyReassignCommand(a), newOntologyEdgesCommand(a))
	return cmd
}
