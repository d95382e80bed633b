package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func newGraphSQLCommand(a *App) *cobra.Command {
	q := datasets.GraphQuery{}
	var file string
	var schema bool
	cmd := &cobra.Command{
		Use:   "sql [SQL]",
		Short: "Ask the graph a question in SQL",
		Long: `Ask the graph a question in SQL, one SELECT of DuckDB, to the tables concepts,
relationships, evidence and documents; --schema shows their columns. At most
1,000 rows come back, and how many there are in all.

The first question after a change of the graph writes the tables, which takes
seconds for a large graph; those after it use them. kg graph export --format
parquet has the same tables as files.

-o csv writes rows for other programs: NULL is an empty field, and an empty
text is "".`,
		Example: `  kg graph sql --schema
  kg graph sql "SELECT type, date_trunc('month', created_at) AS month, count(*) AS n FROM relationships GROUP BY ALL ORDER BY ALL"
  kg graph sql "SELECT label, evidence_count FROM concepts ORDER BY evidence_count DESC, label LIMIT 10" --ontology demo -o csv`,
		Args: cobra.MaximumNArgs(1),
	}
	flags := cmd.Flags()
	flags.StringVar(&file, "file", "", "read the SQL from a file; - is standard input")
	flags.StringSliceVar(&q.Ontologies, "ontology", nil, "only what documents of this ontology say; may be given 100 times")
	flags.IntVar(&q.Limit, "limit", datasets.MaxRows, "rows to show at most, 1 to 1000")
	flags.BoolVar(&schema, "schema", false, "show the tables and their columns instead")
	cmd.RunE = a.withChecked(func(_ *cobra.Command, args []string) (err error) {
		if schema {
			if len(args) > 0 || file != "" {
				return exit.Usage("--schema asks no question: leave the SQL out")
			}
			return nil
		}
		if q.SQL, err = a.sqlOf(args, file); err != nil {
			return err
		}
		return misused(q.Validate())
	}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
		if schema {
			return a.showGraphTables(cmd, c)
		}
		rows, err := c.Datasets.QueryGraph(cmd.Context(), q)
		if err != nil {
			return fmt.Errorf("query the graph: %w", err)
		}
		return a.showRows(rows.Rows)
	})
	return cmd
}

func (a *App) showGraphTables(cmd *cobra.Command, c *client.Client) error {
	tables, err := c.Datasets.GraphTables(cmd.Context())
	if err != nil {
		return fmt.Errorf("read the tables of the graph: %w", err)
	}
	return a.showAnswer("tables", func() { a.writeGraphTables(tables) })
}

func (a *App) writeGraphTables(tables []questions.TableSchema) {
	for i, t := range tables {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		fmt.Fprintf(a.out, "%s: %s\n", a.paint(a.out).Bold(string(t.Name)), strings.TrimSuffix(show.OneLine(t.Description), "."))
		g := show.NewGrid(show.Column{Name: "column"}, show.Column{Name: "type"}, show.Column{Name: "what it is", Flex: true})
		for _, col := range t.Columns {
			g.Add(col.Name, col.Type, col.Description)
		}
		a.writeGrid(g, nil)
	}
}
