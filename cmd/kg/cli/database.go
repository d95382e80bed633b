package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

// NewDatabaseCommand returns kg database, which counts what the graph holds.
func NewDatabaseCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "database", Short: "Count what the graph holds", RunE: onlySubcommands}
	cmd.AddCommand(&cobra.Command{
		Use:   "stats",
		Short: "Count the concepts, chunks, quotes and relationships",
		Args:  cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			stats, err := c.GraphStats(cmd.Context())
			if err != nil {
				return fmt.Errorf("read the statistics: %w", err)
			}
			return a.showAnswer("", func() { a.writeStats(stats) })
		}),
	})
	return cmd
}

// writeStats shows what the graph holds.
func (a *App) writeStats(s kappa.GraphStats) {
	g := show.NewGrid(show.Column{Name: "what"}, show.Column{Name: "count", Right: true})
	g.Add("concepts", show.Number(s.Nodes.Concepts))
	g.Add("documents", show.Number(s.Nodes.Documents))
	g.Add("chunks", show.Number(s.Nodes.Sources))
	g.Add("quotes", show.Number(s.Nodes.Instances))
	g.Add("relationships", show.Number(s.Relationships.Total))
	a.writeGrid(g, nil)
	if len(s.Relationships.ByType) == 0 {
		return
	}
	fmt.Fprintln(a.out)
	types := show.NewGrid(show.Column{Name: "relationship", Flex: true}, show.Column{Name: "count", Right: true})
	for _, t := range s.Relationships.ByType {
		types.Add(t.Type, show.Number(t.Count))
	}
	a.writeGrid(types, nil)
}
