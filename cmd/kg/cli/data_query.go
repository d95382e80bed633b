package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus/datasets"
)

func newDataQueryCommand(a *App) *cobra.Command {
	var in dataFlags
	var q question
	cmd := &cobra.Command{
		Use:   "query [SQL]",
		Short: "Ask a question in SQL to Parquet files",
		Long: `Ask a question in SQL, one SELECT of DuckDB, to Parquet files. Each file is a
table of the name that --table or --upload gives it. At most 1,000 rows come
back, and how many there are in all.

-o csv writes rows for other programs: NULL is an empty field, and an empty
text is "".`,
		Example: `  kg data query "SELECT city, avg(fare) FROM trips GROUP BY city" --table trips=https://example.com/trips.parquet
  kg data query --file report.sql --upload trips=trips.parquet -o csv
  kg data query --file all.sql --table trips=https://example.com/trips.parquet --job --save all.parquet`,
		Args: cobra.MaximumNArgs(1),
	}
	flags := cmd.Flags()
	flags.StringVar(&in.file, "file", "", "read the SQL from a file; - is standard input")
	flags.StringArrayVar(&in.tables, "table", nil, "NAME=URL of a Parquet file; may be given 16 times")
	flags.StringArrayVar(&in.uploads, "upload", nil, "NAME=FILE of this machine, or a FILE that is named as its table")
	flags.IntVar(&in.limit, "limit", datasets.MaxRows, "rows to show at most, 1 to 1000")
	flags.BoolVar(&in.job, "job", false, "ask in a job, which may take 10 minutes and keeps the whole answer as a file")
	flags.StringVar(&in.format, "format", datasets.FormatParquet, "of that file: parquet or csv")
	flags.BoolVar(&in.wait, "wait", false, "follow the job to its end")
	flags.StringVar(&in.save, "save", "", "follow the job and download its answer to this file, which must not exist")
	completeWith(cmd, "format", datasets.FormatParquet, datasets.FormatCSV)
	cmd.RunE = a.withChecked(func(cmd *cobra.Command, args []string) (err error) {
		if q, err = a.question(&in, args); err == nil {
			err = in.checkJob(cmd)
		}
		return err
	}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
		if in.job {
			return a.dataJob(cmd.Context(), c, q.query, &in)
		}
		rows, err := c.Datasets.Query(cmd.Context(), q.query, q.files...)
		if err != nil {
			return fmt.Errorf("query: %w", err)
		}
		return a.showRows(rows)
	})
	return cmd
}

func (a *App) showRows(rows datasets.Rows) error {
	var failed error
	if a.output == formatCSV {
		failed = a.writeCSV(rows)
	} else {
		failed = a.showAnswer("rows", func() { failed = a.writeRows(rows) })
	}
	if failed == nil && rows.Truncated {
		a.note("%s of %s are shown; --limit, LIMIT and OFFSET choose which", show.Number(len(rows.Rows)), show.Counted(int(rows.TotalRows), "row"))
	}
	return failed
}

// writeRows draws rows as a table.
func (a *App) writeRows(rows datasets.Rows) error {
	columns := make([]show.Column, len(rows.Columns))
	for i, c := range rows.Columns {
		columns[i] = show.Column{Name: c.Name, Right: isNumeric(c.Type), Flex: i == len(columns)-1 && !isNumeric(c.Type)}
	}
	g := show.NewGrid(columns...)
	for _, row := range rows.Rows {
		values, err := valuesOf(rows.Columns, row)
		if err != nil {
			return err
		}
		cells := make([]string, len(values))
		for i, v := range values {
			cells[i] = cell(v)
		}
		g.Add(cells...)
	}
	a.writeGrid(g, nil)
	fmt.Fprintf(a.out, "\n%s in %.0f ms\n", show.Counted(int(rows.TotalRows), "row"), rows.DurationMS)
	return nil
}

// isNumeric reports whether the values of a type are numbers.
func isNumeric(name string) bool {
	for _, kind := range []string{"INT", "UINT", "TINYINT", "SMALLINT", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT", "DECIMAL", "FLOAT", "DOUBLE"} {
		if strings.HasPrefix(name, kind) && !strings.HasSuffix(name, "]") && name != "INTERVAL" {
			return true
		}
	}
	return false
}

// valuesOf returns the values of a row in the order of the columns.
func valuesOf(columns []datasets.Column, row json.RawMessage) ([]json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(row, &members); err != nil {
		return nil, fmt.Errorf("read a row of the answer: %w", err)
	}
	values := make([]json.RawMessage, len(columns))
	for i, c := range columns {
		values[i] = members[c.Name]
	}
	return values, nil
}

// cell is a value as a table shows it.
func cell(v json.RawMessage) string {
	var text string
	switch {
	case len(v) == 0 || string(v) == "null":
		return "NULL"
	case json.Unmarshal(v, &text) == nil:
		return text
	}
	return string(v)
}

// writeCSV writes rows with a line of names before them. NULL is empty, and an empty text
// is quoted, so that both can be told apart.
func (a *App) writeCSV(rows datasets.Rows) error {
	var b bytes.Buffer
	line := func(n int, field func(i int) string) {
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(field(i))
		}
		b.WriteString("\r\n")
	}
	line(len(rows.Columns), func(i int) string { return quoted(rows.Columns[i].Name) })
	for _, row := range rows.Rows {
		values, err := valuesOf(rows.Columns, row)
		if err != nil {
			return err
		}
		line(len(values), func(i int) string {
			if len(values[i]) == 0 || string(values[i]) == "null" {
				return ""
			}
			return quoted(cell(values[i]))
		})
	}
	_, err := a.out.Write(b.Bytes())
	return err //nolint:wrapcheck // of the terminal or a pipe
}

// quoted is a field of CSV, in quotes where they are needed (RFC 4180).
func quoted(field string) string {
	if field != "" && !strings.ContainsAny(field, "\",\r\n") && strings.TrimSpace(field) == field {
		return field
	}
	return `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
}
