package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
)

func newOntologyCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "ontology", Short: "List the ontologies", RunE: onlySubcommands}
	cmd.AddCommand(&cobra.Command{
		Use:   "list",
		Short: "List the ontologies by name",
		Args:  cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			ontologies, err := c.Ontologies(cmd.Context())
			if err != nil {
				return fmt.Errorf("list ontologies: %w", err)
			}
			return a.showAnswer("ontologies", func() {
				if len(ontologies) == 0 {
					a.note("No ontologies yet: kg ingest file --ontology NAME PATH makes one.")
					return
				}
				g := newGrid(column{name: "ontology", flex: true}, column{name: "files", right: true}, column{name: "chunks", right: true}, column{name: "concepts", right: true}, column{name: "state"})
				for _, o := range ontologies {
					g.add(o.Name, number(o.FileCount), number(o.SourceCount), number(o.ConceptCount), o.LifecycleState)
				}
				a.writeGrid(g, nil)
			})
		}),
	})
	return cmd
}
