package cli

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// exportFlags say where an export goes.
type exportFlags struct{ format, table, file, save string }

func newExportCommand(a *App) *cobra.Command {
	var q questions.ExportQuery
	var in exportFlags
	cmd := &cobra.Command{
		Use:   "export [CONCEPT...]",
		Short: "Export what is around concepts, an ontology, or the whole graph",
		Long: `Export what is around concepts, an ontology, or the whole graph, for other
programs.

csv and parquet are zip archives. With --save parquet is written as four files
into a folder: concepts.parquet, relationships.parquet, evidence.parquet and
documents.parquet, all as of one moment. --table writes one of them alone.`,
		Example: `  kg graph export glacier --format dot
  kg graph export --ontology earth --format graphml --file earth.graphml
  kg graph export --format parquet --save tables`,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			q.Format, q.Seeds, q.Table = questions.ExportFormat(in.format), args, questions.GraphTable(in.table)
			if err := a.resolveSeeds(cmd, c, q.Seeds); err != nil {
				return err
			}
			if err := q.Validate(); err != nil {
				return misused(err)
			}
			if err := in.check(q, show.IsTerminal(a.out)); err != nil {
				return err
			}
			write := func(w io.Writer) error { return c.Graph.Export(cmd.Context(), q, w) }
			switch {
			case in.save != "":
				return a.saveTables(in.save, write)
			case in.file != "":
				return writeWhole(in.file, write)
			}
			return write(a.out)
		}),
	}
	cmd.Flags().StringVar(&in.format, "format", string(questions.ExportJSON), "json, graphml, gexf, dot, csv (a zip archive), turtle, nquads or parquet (a zip archive)")
	cmd.Flags().StringVar(&in.table, "table", "", "with parquet one table alone: concepts, relationships, evidence or documents")
	cmd.Flags().StringVar(&in.file, "file", "", "write to this file instead of standard output")
	cmd.Flags().StringVar(&in.save, "save", "", "with parquet, write the files of the tables into this folder")
	cmd.Flags().StringVar(&q.Ontology, "ontology", "", "export this ontology")
	cmd.Flags().IntVar(&q.MaxHops, "max-hops", 2, "how many relationships away from the concepts, 1 to 5")
	cmd.Flags().IntVar(&q.Limit, "limit", 0, "concepts at most, up to 50000 (0: 1000 around concepts, otherwise all)")
	cmd.Flags().StringSliceVar(&q.Types, "type", nil, "only relationships of these types")
	cmd.Flags().BoolVar(&q.IncludeEvidence, "evidence", false, "with the sentences that state each relationship, up to three; json, graphml, csv, turtle and nquads only, and parquet always has all")
	return cmd
}

// check returns what does not go together.
func (in exportFlags) check(q questions.ExportQuery, terminal bool) error {
	switch {
	case in.save != "" && q.Format != questions.ExportParquet:
		return exit.Usage("--save writes the files of --format parquet; give a --file for %s", q.Format)
	case in.save != "" && (in.file != "" || in.table != ""):
		return exit.Usage("--save writes every table into a folder: leave out --file and --table")
	case in.file == "" && in.save == "" && terminal && q.Table != "":
		return exit.Usage("parquet is not text: give a --file, or redirect the output")
	case in.file == "" && in.save == "" && terminal && (q.Format == questions.ExportCSV || q.Format == questions.ExportParquet):
		return exit.Usage("%s is a zip archive: give a --file, or redirect the output", q.Format)
	}
	return nil
}

// saveTables has an archive written and puts its files into a folder. Each is whole, or not
// there.
func (a *App) saveTables(dir string, write func(io.Writer) error) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}
	archive, err := os.CreateTemp(dir, ".kg-export-*")
	if err != nil {
		return fmt.Errorf("make a file: %w", err)
	}
	defer os.Remove(archive.Name()) //nolint:errcheck // it is of no use any more
	err = write(archive)
	if closed := archive.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	files, err := zip.OpenReader(archive.Name())
	if err != nil {
		return fmt.Errorf("open the archive that the server sent: %w", err)
	}
	defer func() { _ = files.Close() }()
	for _, t := range questions.GraphTables() {
		name := filepath.Join(dir, string(t)+".parquet")
		if err := writeWhole(name, func(w io.Writer) error { return unpack(&files.Reader, filepath.Base(name), w) }); err != nil {
			return err
		}
		a.note("%s", name)
	}
	return nil
}

// unpack copies a file of an archive.
func unpack(archive *zip.Reader, name string, to io.Writer) error {
	file, err := archive.Open(name)
	if err != nil {
		return fmt.Errorf("find %s in the archive that the server sent: %w", name, err)
	}
	_, err = io.Copy(to, file)
	return errors.Join(err, file.Close())
}

// writeWhole writes a file that is whole, or not there.
func writeWhole(name string, write func(io.Writer) error) error {
	part, err := os.CreateTemp(filepath.Dir(name), ".kg-export-*")
	if err != nil {
		return fmt.Errorf("make a file: %w", err)
	}
	defer os.Remove(part.Name()) //nolint:errcheck // it has its name by then, or is of no use
	err = write(part)
	if closed := part.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(part.Name(), name)
}
