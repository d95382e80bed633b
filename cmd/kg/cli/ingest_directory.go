package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/documents"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
)

// directoryFlags say which files of a directory are submitted, and where to.
type directoryFlags struct {
	documents.Selection
	recursive, dryRun, ontologies bool
}

func newIngestDirectoryCommand(a *App, in *ingestFlags) *cobra.Command {
	var dir directoryFlags
	cmd := &cobra.Command{
		Use:   "directory DIR",
		Short: "Submit the documents of a directory",
		Long: `Submit the files of a directory whose names match a pattern, in the order of
their names. Hidden files and directories are left out, and links to directories
are not followed. What is left out is counted. --dry-run shows what would be sent, and
what is left out and why, and sends nothing.

With --directories-as-ontologies the files of each directory in DIR go to the ontology
of its name, and those that stand in DIR itself to --ontology, or that of DIR's name.`,
		Example: "  kg ingest directory docs --ontology manual --depth 1\n  kg ingest directory library --directories-as-ontologies --exclude 'draft*'",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.submitDirectory(cmd, in, dir, args[0])
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&dir.recursive, "recursive", true, "look into subdirectories too")
	flags.IntVar(&dir.Depth, "depth", documents.AnyDepth, "how many directories deep; 0 is only DIR, -1 all")
	flags.StringSliceVar(&dir.Include, "include", documents.DefaultPatterns(), "patterns of file names, in letters of any case")
	flags.StringSliceVar(&dir.Exclude, "exclude", nil, "patterns of names of files and directories that are left out")
	flags.BoolVar(&dir.ontologies, "directories-as-ontologies", false, "each directory in DIR is an ontology")
	flags.BoolVar(&dir.dryRun, "dry-run", false, "show what would be sent, and send nothing")
	return cmd
}

func (a *App) submitDirectory(cmd *cobra.Command, in *ingestFlags, dir directoryFlags, root string) error {
	switch {
	case dir.Depth < documents.AnyDepth:
		return exit.Usage("--depth must be at least -1, got %d", dir.Depth)
	case !dir.recursive:
		dir.Depth = 0
	}
	if dir.ontologies && in.ontology == "" {
		whole, err := filepath.Abs(root)
		if err != nil {
			return fmt.Errorf("find %s: %w", root, err)
		}
		in.ontology = filepath.Base(whole)
	}
	d, err := a.document(cmd, in)
	if err != nil {
		return err
	}
	paths, left, err := documents.Find(root, dir.Selection)
	if err != nil {
		return err
	}
	if !dir.dryRun {
		a.noteLeft(root, left)
	}
	if len(paths) == 0 {
		return noDocuments(root, dir.Include)
	}
	files := inOntology(d.Ontology, paths)
	for i := range files {
		files[i].dir = root
	}
	if dir.ontologies {
		for i, path := range paths {
			if within, err := filepath.Rel(root, path); err == nil {
				if first, _, below := strings.Cut(filepath.ToSlash(within), "/"); below {
					files[i].ontology = first
				}
			}
		}
	}
	if dir.dryRun {
		return a.showFiles(files, left)
	}
	return a.submitAll(cmd, in, d, files)
}

// noteLeft says what of a directory is not submitted.
func (a *App) noteLeft(dir string, left []documents.Left) {
	if len(left) > 0 {
		a.note("left out in %s: %s (kg ingest directory: --dry-run lists them, --include takes other endings)", show.Printable(dir), show.Printable(documents.Summary(left)))
	}
}

func noDocuments(dir string, patterns []string) error {
	return fmt.Errorf("no file in %s matches %s", dir, strings.Join(patterns, ", "))
}

// plannedFile is a file that a dry run shows. Words are those of a text; other
// formats are read by the server. What is left out has a reason, and nothing else.
type plannedFile struct {
	Path     string `json:"path"`
	Ontology string `json:"ontology"`
	Bytes    int    `json:"bytes"`
	Words    *int   `json:"words"`
	LeftOut  string `json:"left_out,omitempty"`
}

// showFiles shows what would be sent, and what is left out.
func (a *App) showFiles(files []input, left []documents.Left) error {
	planned := []plannedFile{}
	size, words := 0, 0
	ontologies := map[string]bool{}
	for _, file := range files {
		d, err := documents.Read(client.Document{}, file.path)
		if err != nil {
			return err
		}
		p := plannedFile{Path: file.path, Ontology: file.ontology, Bytes: len(d.Body)}
		if utf8.Valid(d.Body) && bytes.IndexByte(d.Body, 0) < 0 {
			p.Words = new(len(strings.Fields(string(d.Body))))
			words += *p.Words
		}
		planned = append(planned, p)
		size += len(d.Body)
		ontologies[file.ontology] = true
	}
	for _, l := range left {
		planned = append(planned, plannedFile{Path: l.Path, LeftOut: l.Reason})
	}
	return a.show(planned, func() {
		g := show.NewGrid(show.Column{Name: "file", Flex: true}, show.Column{Name: "ontology"}, show.Column{Name: "size", Right: true}, show.Column{Name: "words", Right: true})
		for _, f := range planned {
			if f.LeftOut != "" {
				g.Add(f.Path, "left out: "+f.LeftOut, "", "")
				continue
			}
			count := "–"
			if f.Words != nil {
				count = show.Number(*f.Words)
			}
			g.Add(f.Path, f.Ontology, corpus.HumanSize(f.Bytes), count)
		}
		a.writeGrid(g, nil)
		where := show.OneLine(files[0].ontology)
		if len(ontologies) > 1 {
			where = fmt.Sprintf("%d ontologies", len(ontologies))
		}
		fmt.Fprintf(a.out, "\nwould submit %s with %s words of text (%s) to %s; nothing was sent\n", show.Counted(len(files), "file"), show.Number(words), corpus.HumanSize(size), where)
	})
}
