package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// maxFileBytes is the largest file that kg reads; the server's limit is lower.
const maxFileBytes = 1 << 30

// defaultIncludes are the names of the files of a directory that are submitted.
func defaultIncludes() []string {
	return []string{"*.md", "*.markdown", "*.txt", "*.text", "*.rst", "*.org", "*.adoc", "*.tex"}
}

func newIngestFileCommand(a *app, in *ingestFlags) *cobra.Command {
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

func newIngestDirectoryCommand(a *app, in *ingestFlags) *cobra.Command {
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
			paths, err := findFiles(args[0], recursive, include)
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
	cmd.Flags().StringSliceVar(&include, "include", defaultIncludes(), "patterns of file names")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would be sent, and send nothing")
	return cmd
}

// submitFiles submits files one after the other. The first that cannot be read
// or is refused does not keep the others from being submitted.
func (a *app) submitFiles(cmd *cobra.Command, in *ingestFlags, d client.Document, paths []string) error {
	s, err := a.newSubmission(in)
	if err != nil {
		return err
	}
	defer s.client.Close()
	var failed error
	for _, path := range paths {
		one, err := withFile(d, path)
		if err == nil {
			err = s.one(cmd.Context(), one)
		}
		if err == nil {
			continue
		}
		if len(paths) == 1 || !aboutOneDocument(err) {
			return err
		}
		a.note("%s", printable(err.Error()))
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

// withFile returns d with the body and the names of a file.
func withFile(d client.Document, path string) (client.Document, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return d, fmt.Errorf("find %s: %w", path, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return d, fmt.Errorf("read the document: %w", err)
	}
	defer f.Close()
	if stat, err := f.Stat(); err == nil && stat.IsDir() {
		return d, &fs.PathError{Op: "submit", Path: path, Err: errors.New("is a directory: use kg ingest directory")}
	}
	d.Body, err = readBounded(f, path)
	d.Filename, d.SourceType, d.SourcePath = filepath.Base(path), "file", whole
	return d, err
}

// readBounded reads all of r, which is named for errors.
func readBounded(r io.Reader, name string) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(body) > maxFileBytes {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("has more than %s", kappa.HumanSize(maxFileBytes))}
	}
	return body, nil
}

// findFiles returns the files of dir whose names match one of the patterns, in
// the order of their names.
func findFiles(dir string, recursive bool, include []string) ([]string, error) {
	for _, pattern := range include {
		if _, err := filepath.Match(pattern, "x"); err != nil {
			return nil, exit.Usage("--include %q: %w", pattern, err)
		}
	}
	if stat, err := os.Stat(dir); err == nil && !stat.IsDir() {
		return nil, exit.Usage("%s is not a directory: use kg ingest file", dir)
	}
	var found []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(entry.Name(), ".") && path != dir
		switch {
		case entry.IsDir() && path != dir && (hidden || !recursive):
			return filepath.SkipDir
		case !entry.Type().IsRegular() || hidden:
			return nil
		}
		if slices.ContainsFunc(include, func(pattern string) bool {
			matches, _ := filepath.Match(pattern, entry.Name()) // checked above
			return matches
		}) {
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look into %s: %w", dir, err)
	}
	return found, nil
}

// plannedFile is a file that a dry run shows.
type plannedFile struct {
	Path  string `json:"path"`
	Bytes int    `json:"bytes"`
	Words int    `json:"words"`
}

// showFiles shows what would be sent.
func (a *app) showFiles(ontology string, paths []string) error {
	files := []plannedFile{}
	bytes, words := 0, 0
	for _, path := range paths {
		d, err := withFile(client.Document{}, path)
		if err != nil {
			return err
		}
		n := len(strings.Fields(string(d.Body)))
		files = append(files, plannedFile{Path: path, Bytes: len(d.Body), Words: n})
		bytes, words = bytes+len(d.Body), words+n
	}
	return a.show(files, func() {
		g := newGrid(column{name: "file", flex: true}, column{name: "size", right: true}, column{name: "words", right: true})
		for _, f := range files {
			g.add(f.Path, kappa.HumanSize(f.Bytes), number(f.Words))
		}
		a.writeGrid(g, nil)
		fmt.Fprintf(a.out, "\nwould submit %s with %s words (%s) to %s; nothing was sent\n", counted(len(files), "file"), number(words), kappa.HumanSize(bytes), oneLine(ontology))
	})
}
