package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus/datasets"
)

// rowFlags say how rows become documents.
type rowFlags struct {
	sql, text, key string
	after          string
	upload         bool
}

func newIngestDatasetCommand(a *App, in *ingestFlags) *cobra.Command {
	var rows rowFlags
	cmd := &cobra.Command{
		Use:   "dataset URL",
		Short: "Submit rows of a Parquet file as documents",
		Long: `Ask a question in SQL to a Parquet file, which is the table dataset, and submit
each row of the answer as a document: its text is in one column, its name in
another. More than 1,000 rows are fetched by a job; a file that is sent with
--upload is sent once for each 1,000, and its rows come in an order of the
server's. A row without text is left out. A text that the ontology already has is
not ingested again, as with files.

When it ends early, it says how to go on: --after KEY leaves out the rows up to
the one with that key. ORDER BY in the SQL keeps the rows in the same order.`,
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
			if cmd.Flags().Changed("after") && rows.after == "" {
				return exit.Usage("--after must be the key of a row, got \"\"")
			}
			return a.ingestRows(cmd.Context(), in, d, &rows, args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&rows.sql, "sql", "SELECT * FROM dataset", "the question; the file is the table dataset")
	flags.StringVar(&rows.text, "text-column", "", "the column with the text")
	flags.StringVar(&rows.key, "key-column", "", "the column with the name of each row (default: its number in the answer)")
	flags.StringVar(&rows.after, "after", "", "leave out the rows up to the one with this key")
	flags.BoolVar(&rows.upload, "upload", false, "the argument is a file of this machine, which is sent to the server")
	return cmd
}

// ingestRows asks the question and submits each row of the answer.
func (a *App) ingestRows(ctx context.Context, in *ingestFlags, d client.Document, flags *rowFlags, source string) error {
	submit, err := a.newSubmission(in)
	if err != nil {
		return err
	}
	defer submit.client.Close()
	s := rowSubmission{submission: submit, document: d, source: source, after: flags.after, skipping: flags.after != ""}
	if err := a.readRows(ctx, submit.client, flags, source, s.row); err != nil {
		return s.goOn(err)
	}
	if s.skipping {
		return exit.Usage("--after: no row of the answer has the key %q", flags.after)
	}
	if s.empty > 0 {
		a.note("%s without text left out", show.Counted(s.empty, "row"))
	}
	return submit.finish(ctx)
}

// rowSubmission submits rows as documents, in the order of the answer.
type rowSubmission struct {
	*submission

	document client.Document
	source   string
	after    string
	skipping bool   // until the row with the key after
	number   int    // of the row
	last     string // key of the last row that was submitted
	empty    int    // rows without text
}

// row submits a row.
func (s *rowSubmission) row(ctx context.Context, key, text string) error {
	s.number++
	if key = show.OneLine(key); key == "" {
		key = fmt.Sprintf("row %d", s.number)
	}
	if s.skipping {
		s.skipping = key != s.after
		return nil
	}
	if strings.TrimSpace(text) == "" {
		s.empty++
		return nil
	}
	d := s.document
	d.Body, d.Filename, d.SourceType, d.SourcePath = []byte(text), key, "api", s.source+"#"+key
	if err := s.one(ctx, d); err != nil {
		return err
	}
	s.last = key
	return nil
}

// goOn adds to a failure how to go on after the rows that were submitted.
func (s *rowSubmission) goOn(err error) error {
	if s.last == "" {
		return err
	}
	code, _ := exit.CodeOf(err)
	if errors.Is(err, context.Canceled) {
		code = exit.Interrupted
	}
	return &exit.Error{Code: code, Err: err, Hint: fmt.Sprintf("go on after the rows that were submitted with the same command and --after %q", s.last)}
}

// check makes sure that the answer has the columns.
func (r *rowFlags) check(columns []datasets.Column) error {
	var names []string
	has := map[string]bool{"": true}
	for _, c := range columns {
		names = append(names, c.Name)
		has[c.Name] = true
	}
	for _, flag := range []struct{ name, column string }{{"--text-column", r.text}, {"--key-column", r.key}} {
		if !has[flag.column] {
			return exit.Usage("%s: the answer has no column %q; it has %s", flag.name, flag.column, strings.Join(names, ", "))
		}
	}
	return nil
}
