package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/documents"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/datasets"
)

// NewDataCommand returns kg data, which asks questions to Parquet files.
func NewDataCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Query Parquet files in SQL, behind URLs or on this machine",
		Long: `Ask questions in SQL to Parquet files. The server fetches a file behind a URL;
with --upload a file of this machine is sent to it. What a question may do and
take is limited; see docs/datasets.md.`,
		RunE: onlySubcommands,
	}
	cmd.AddCommand(newDataValidateCommand(a), newDataSchemaCommand(a), newDataQueryCommand(a))
	return cmd
}

func newDataValidateCommand(a *App) *cobra.Command {
	var upload string
	cmd := &cobra.Command{
		Use:     "validate [URL]",
		Short:   "Say whether a URL leads to a Parquet file",
		Example: "  kg data validate https://example.com/trips.parquet\n  kg data validate --upload trips.parquet",
		Args:    cobra.MaximumNArgs(1),
	}
	cmd.Flags().StringVar(&upload, "upload", "", "a file of this machine instead")
	cmd.RunE = a.withChecked(oneDataset(&upload), func(cmd *cobra.Command, c *client.Client, args []string) error {
		var found datasets.Validity
		var err error
		if upload != "" {
			found, err = c.Datasets.ValidateFile(cmd.Context(), upload)
		} else {
			found, err = c.Datasets.Validate(cmd.Context(), args[0])
		}
		if err != nil {
			return fmt.Errorf("validate the dataset: %w", err)
		}
		if !found.Valid && a.output == formatTable {
			return &exit.Error{Code: exit.Failed, Err: fmt.Errorf("not valid: %w", found.Error)}
		}
		if err := a.showAnswer("", func() { fmt.Fprintln(a.out, "valid: a Parquet file") }); err != nil {
			return err
		}
		if !found.Valid {
			return &exit.Error{Code: exit.Failed}
		}
		return nil
	})
	return cmd
}

func newDataSchemaCommand(a *App) *cobra.Command {
	var upload string
	cmd := &cobra.Command{
		Use:     "schema [URL]",
		Short:   "Show the columns and the size of a Parquet file",
		Example: "  kg data schema https://example.com/trips.parquet",
		Args:    cobra.MaximumNArgs(1),
	}
	cmd.Flags().StringVar(&upload, "upload", "", "a file of this machine instead")
	cmd.RunE = a.withChecked(oneDataset(&upload), func(cmd *cobra.Command, c *client.Client, args []string) error {
		var found datasets.Schema
		var err error
		if upload != "" {
			found, err = c.Datasets.SchemaOfFile(cmd.Context(), upload)
		} else {
			found, err = c.Datasets.Schema(cmd.Context(), args[0])
		}
		if err != nil {
			return fmt.Errorf("read the schema: %w", err)
		}
		return a.showAnswer("columns", func() { a.writeSchema(found) })
	})
	return cmd
}

// oneDataset checks that a command got a URL or a file.
func oneDataset(upload *string) func(cmd *cobra.Command, args []string) error {
	return func(_ *cobra.Command, args []string) error {
		if (len(args) == 1) == (*upload != "") {
			return exit.Usage("give either a URL or --upload FILE")
		}
		return nil
	}
}

func (a *App) writeSchema(s datasets.Schema) {
	g := show.NewGrid(show.Column{Name: "column"}, show.Column{Name: "type", Flex: true}, show.Column{Name: "nullable"})
	for _, c := range s.Columns {
		nullable := "no"
		if c.Nullable {
			nullable = "yes"
		}
		g.Add(c.Name, c.Type, nullable)
	}
	a.writeGrid(g, nil)
	fmt.Fprintf(a.out, "\n%s, %s\n", show.Counted(int(s.RowCount), "row"), corpus.HumanSize(int(s.SizeBytes)))
}

// dataFlags are the flags of a question.
type dataFlags struct {
	file    string
	tables  []string
	uploads []string
	limit   int
	job     bool
	format  string
	wait    bool
	save    string
}

// question is what the flags ask.
type question struct {
	query datasets.Query
	files []client.DatasetFile
}

// question reads the flags and the SQL.
func (a *App) question(in *dataFlags, args []string) (question, error) {
	var q question
	sql, err := a.sqlOf(args, in.file)
	if err != nil {
		return q, err
	}
	q.query.SQL = sql
	q.query.Limit = in.limit
	for _, t := range in.tables {
		name, url, ok := strings.Cut(t, "=")
		if !ok {
			return q, exit.Usage("--table must be NAME=URL, got %q", t)
		}
		q.query.Datasets = append(q.query.Datasets, datasets.Dataset{TableName: name, URL: url})
	}
	checked := q.query
	for _, u := range in.uploads {
		name, path, ok := strings.Cut(u, "=")
		if !ok {
			name, path = strings.TrimSuffix(filepath.Base(u), filepath.Ext(u)), u
		}
		q.files = append(q.files, client.DatasetFile{TableName: name, Path: path})
		checked.Datasets = append(checked.Datasets, datasets.Dataset{TableName: name, URL: "upload"})
	}
	return q, misused(checked.Validate())
}

// sqlOf returns the SQL that was given as an argument, or as a file.
func (a *App) sqlOf(args []string, file string) (string, error) {
	switch {
	case (len(args) == 1) == (file != ""):
		return "", exit.Usage("give the SQL either as an argument or with --file")
	case len(args) == 1:
		return args[0], nil
	}
	return a.readSQL(file)
}

// readSQL reads a query from a file; - is standard input.
func (a *App) readSQL(path string) (string, error) {
	if path == "-" {
		sql, err := documents.ReadAll(a.in, "standard input")
		return string(sql), err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", &exit.Error{Code: exit.Misused, Err: err}
	}
	defer func() { _ = file.Close() }()
	sql, err := documents.ReadAll(file, path)
	return string(sql), err
}
