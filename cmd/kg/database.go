package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
)

func newDatabaseCommand(a *app) *cobra.Command {
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
func (a *app) writeStats(s kappa.GraphStats) {
	g := newGrid(column{name: "what"}, column{name: "count", right: true})
	g.add("concepts", number(s.Nodes.Concepts))
	g.add("documents", number(s.Nodes.Documents))
	g.add("chunks", number(s.Nodes.Sources))
	g.add("quotes", number(s.Nodes.Instances))
	g.add("relationships", number(s.Relationships.Total))
	a.writeGrid(g, nil)
	if len(s.Relationships.ByType) == 0 {
		return
	}
	fmt.Fprintln(a.out)
	types := newGrid(column{name: "relationship", flex: true}, column{name: "count", right: true})
	for _, t := range s.Relationships.ByType {
		types.add(t.Type, number(t.Count))
	}
	a.writeGrid(types, nil)
}
