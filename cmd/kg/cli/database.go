package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/ontologies"
)

// NewDatabaseCommand returns kg database, which counts what the graph holds.
func NewDatabaseCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "database", Short: "Count what the graph holds, and say which database has it", RunE: onlySubcommands}
	cmd.AddCommand(&cobra.Command{
		Use:     "stats",
		Short:   "Count the concepts, chunks, quotes and relationships",
		Example: `  kg database stats`,
		Args:    cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			stats, err := c.Graph.Stats(cmd.Context())
			if err != nil {
				return fmt.Errorf("read the statistics: %w", err)
			}
			return a.showAnswer("", func() { a.writeStats(stats) })
		}),
	})
	cmd.AddCommand(newDatabaseInfoCommand(a), newCountersCommand(a))
	return cmd
}

func newDatabaseInfoCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "info", Short: "Show which database the server uses", Example: `  kg database info`, Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			info, err := c.Storage.Database(cmd.Context())
			if err != nil {
				return fmt.Errorf("show the database: %w", err)
			}
			return a.showAnswer("", func() {
				version := "does not answer"
				if info.Version != nil {
					version = "PostgreSQL " + *info.Version
				}
				fmt.Fprintf(a.out, "%s\n%s\n", show.OneLine(info.URI), show.OneLine(version))
			})
		}),
	}
}

func newCountersCommand(a *App) *cobra.Command {
	refresh := false
	cmd := &cobra.Command{
		Use: "counters", Short: "Show how much the graph has changed since the counters were refreshed", Example: `  kg database counters
  kg database counters --refresh`,
		Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			if refresh {
				changes, err := c.GraphAdmin.RefreshCounters(cmd.Context())
				if err != nil {
					return fmt.Errorf("refresh the counters: %w", err)
				}
				return a.showAnswer("changes", func() { a.writeChanges(changes) })
			}
			counters, err := c.GraphAdmin.Counters(cmd.Context())
			if err != nil {
				return fmt.Errorf("show the counters: %w", err)
			}
			return a.showAnswer("counters", func() { a.writeCounters(counters) })
		}),
	}
	cmd.Flags().BoolVar(&refresh, "refresh", false, "count changes from now on, and show those until now")
	return cmd
}

func (a *App) writeCounters(counters knowledge.GraphCounters) {
	g := show.NewGrid(show.Column{Name: "counter"}, show.Column{Name: "value", Right: true}, show.Column{Name: "change", Right: true}, show.Column{Name: "since"}, show.Column{Name: "what", Flex: true})
	for _, c := range append(counters.Snapshot, counters.Activity...) {
		since := "never refreshed"
		if c.LastMeasured != nil {
			since = show.Age(c.LastMeasured.Time) + " ago"
		}
		g.Add(c.Name, show.Number(int(c.Value)), fmt.Sprintf("%+d", c.Delta), since, c.Notes)
	}
	a.writeGrid(g, nil)
}

func (a *App) writeChanges(changes []knowledge.CounterChange) {
	g := show.NewGrid(show.Column{Name: "counter", Flex: true}, show.Column{Name: "before", Right: true}, show.Column{Name: "now", Right: true})
	for _, c := range changes {
		g.Add(c.Name, show.Number(int(c.Old)), show.Number(int(c.New)))
	}
	a.writeGrid(g, nil)
}

// writeStats shows what the graph holds.
func (a *App) writeStats(s ontologies.GraphStats) {
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
