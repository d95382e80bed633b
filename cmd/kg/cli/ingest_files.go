package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/documents"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

func newIngestFileCommand(a *App, in *ingestFlags) *cobra.Command {
	return &cobra.Command{
		Use:     "file PATH...",
		Short:   "Submit files",
		Example: "  kg ingest file --ontology demo --wait README.md docs/*.md",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			d, err := a.document(cmd, in)
			if err != nil {
				return err
			}
			return a.submitFiles(cmd, in, d, paths)
		},
	}
}

func newIngestDirectoryCommand(a *App, in *ingestFlags) *cobra.Command {
	var recursive, dryRun bool
	var include []string
	cmd := &cobra.Command{
		Use:   "directory DIR",
		Short: "Submit the texts of a directory",
		Long: `Submit the files of a directory whose names match a pattern, in the order of
their names. Hidden files and directories are left out, and links to directories
are not followed. --dry-run shows what would be sent and sends nothing.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.document(cmd, in)
			if err != nil {
				return err
			}
			paths, err := documents.Find(args[0], recursive, include)
			if err != nil {
				return err
			}
			if len(paths) == 0 {
				return fmt.Errorf("no file in %s matches %s", args[0], strings.Join(include, ", "))
			}
			if dryRun {
				return a.showFiles(d.Ontology, paths)
			}
			return a.submitFiles(cmd, in, d, paths)
		},
	}
	cmd.Flags().BoolVar(&recursive, "recursive", true, "look into subdirectories too")
	cmd.Flags().StringSliceVar(&include, "include", documents.DefaultPatterns(), "patterns of file names")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would be sent, and send nothing")
	return cmd
}

// submitFiles submits files one after the other. The first that cannot be read
// or is refused does not keep the others from being submitted.
func (a *App) submitFiles(cmd *cobra.Command, in *ingestFlags, d client.Document, paths []string) error {
	s, err := a.newSubmission(in)
	if err != nil {
		return err
	}
	defer s.client.Close()
	var failed error
	for _, path := range paths {
		one, err := documents.Read(d, path)
		if err == nil {
			err = s.one(cmd.Context(), one)
		}
		if err == nil {
			continue
		}
		if len(paths) == 1 || !aboutOneDocument(err) {
			return err
		}
		a.note("%s", show.Printable(err.Error()))
		if failed == nil {
			code, _ := exit.CodeOf(err)
			failed = &exit.Error{Code: code, Err: errors.New("some files were not submitted")}
		}
	}
	return errors.Join(s.finish(cmd.Context()), failed)
}

// aboutOneDocument reports whether err says nothing about the other documents.
func aboutOneDocument(err error) bool {
	var file *fs.PathError
	switch kappa.ErrorCode(err) {
	case kappa.CodeMalformed, kappa.CodeInvalid, kappa.CodeTooLarge, kappa.CodeUnsupported:
		return true
	}
	return errors.As(err, &file)
}

// plannedFile is a file that a dry run shows.
type plannedFile struct {
	Path  string `json:"path"`
	Bytes int    `json:"bytes"`
	Words int    `json:"words"`
}

// showFiles shows what would be sent.
func (a *App) showFiles(ontology string, paths []string) error {
	files := []plannedFile{}
	bytes, words := 0, 0
	for _, path := range paths {
		d, err := documents.Read(client.Document{}, path)
		if err != nil {
			return err
		}
		n := len(strings.Fields(string(d.Body)))
		files = append(files, plannedFile{Path: path, Bytes: len(d.Body), Words: n})
		bytes, words = bytes+len(d.Body), words+n
	}
	return a.show(files, func() {
		g := show.NewGrid(show.Column{Name: "file", Flex: true}, show.Column{Name: "size", Right: true}, show.Column{Name: "words", Right: true})
		for _, f := range files {
			g.Add(f.Path, kappa.HumanSize(f.Bytes), show.Number(f.Words))
		}
		a.writeGrid(g, nil)
		fmt.Fprintf(a.out, "\nwould submit %s with %s words (%s) to %s; nothing was sent\n", show.Counted(len(files), "file"), show.Number(words), kappa.HumanSize(bytes), show.OneLine(ontology))
	})
}
