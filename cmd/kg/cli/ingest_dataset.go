package cli

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

// rowFlags say how rows become documents.
type rowFlags struct {
	sql, text, key string
	upload         bool
}

func newIngestDatasetCommand(a *App, in *ingestFlags) *cobra.Command {
	var rows rowFlags
	cmd := &cobra.Command{
		Use:   "dataset URL",
		Short: "Submit rows of a Parquet file as documents",
		Long: `Ask a question in SQL to a Parquet file, which is the table dataset, and submit
each row of the answer as a document: its text is in one column, its name in
another. At most 1,000 rows are submitted at once; LIMIT and OFFSET of the SQL
choose which. A row without text is left out. A text that the ontology already has is
not ingested again, as with files.`,
		Example: `  kg ingest dataset https://example.com/articles.parquet --ontology news \
    --sql "SELECT id, body FROM dataset WHERE year = 2026 ORDER BY id" --text-column body --key-column id`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.document(cmd, in)
			if err != nil {
				return err
			}
			if rows.text == "" {
				return exit.Usage("say which column has the text: --text-column NAME")
			}
			return a.submitRows(cmd, in, d, &rows, args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&rows.sql, "sql", "SELECT * FROM dataset", "the question; the file is the table dataset")
	flags.StringVar(&rows.text, "text-column", "", "the column with the text")
	flags.StringVar(&rows.key, "key-column", "", "the column with the name of each row (default: its number in the answer)")
	flags.BoolVar(&rows.upload, "upload", false, "the argument is a file of this machine, which is sent to the server")
	return cmd
}

// submitRows asks the question and submits each row of the answer.
func (a *App) submitRows(cmd *cobra.Command, in *ingestFlags, d client.Document, rows *rowFlags, source string) error {
	q := kappa.DatasetQuery{SQL: rows.sql, Limit: kappa.MaxDatasetRows}
	var files []client.DatasetFile
	if rows.upload {
		files = []client.DatasetFile{{TableName: "dataset", Path: source}}
	} else {
		q.Datasets = []kappa.Dataset{{URL: source, TableName: "dataset"}}
	}
	submit, err := a.newSubmission(in)
	if err != nil {
		return err
	}
	defer submit.client.Close()
	found, err := submit.client.QueryDatasets(cmd.Context(), q, files...)
	if err != nil {
		return fmt.Errorf("query the dataset: %w", err)
	}
	if err := rows.check(found.Columns); err != nil {
		return err
	}
	empty := 0
	for i, row := range found.Rows {
		key, text, err := rows.read(i, row)
		if err != nil {
			return err
		}
		if strings.TrimSpace(text) == "" {
			empty++
			continue
		}
		d.Body, d.Filename, d.SourceType, d.SourcePath = []byte(text), key, "api", source+"#"+key
		if err := submit.one(cmd.Context(), d); err != nil {
			return err
		}
	}
	if empty > 0 {
		a.note("%s without text left out", show.Counted(empty, "row"))
	}
	if found.Truncated {
		a.note("%s of %s were submitted; ORDER BY, LIMIT and OFFSET in --sql choose the next ones", show.Number(len(found.Rows)), show.Counted(int(found.TotalRows), "row"))
	}
	return submit.finish(cmd.Context())
}

// check makes sure that the answer has the columns.
func (r *rowFlags) check(columns []kappa.DatasetColumn) error {
	var names []string
	has := map[string]bool{"": true}
	for _, c := range columns {
		names = append(names, c.Name)
		has[c.Name] = true
	}
	for flag, name := range map[string]string{"--text-column": r.text, "--key-column": r.key} {
		if !has[name] {
			return exit.Usage("%s: the answer has no column %q; it has %s", flag, name, strings.Join(names, ", "))
		}
	}
	return nil
}

// read returns the name and the text of a row.
func (r *rowFlags) read(i int, row json.RawMessage) (key, text string, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(row, &members); err != nil {
		return "", "", fmt.Errorf("read a row of the answer: %w", err)
	}
	key = "row " + strconv.Itoa(i+1)
	if v := members[r.key]; r.key != "" && string(v) != "null" {
		key = show.OneLine(cell(v))
	}
	if v := members[r.text]; string(v) != "null" {
		text = cell(v)
	}
	return key, text, nil
}
