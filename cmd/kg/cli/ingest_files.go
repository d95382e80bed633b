package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
			return a.submitAll(cmd, in, d, inOntology(d.Ontology, paths))
		},
	}
}

// input is a document to submit: what is in a file, at a URL or on standard input.
type input struct {
	path, url string // neither is standard input
	dir       string // below which the path was found; "" when it was given
	ontology  string
}

// name is what the document of a path is called by its path.
func (in input) name() string {
	if in.dir != "" {
		if within, err := filepath.Rel(in.dir, in.path); err == nil {
			return filepath.ToSlash(within)
		}
	}
	return filepath.ToSlash(filepath.Clean(in.path))
}

func inOntology(ontology string, paths []string) []input {
	inputs := make([]input, len(paths))
	for i, path := range paths {
		inputs[i] = input{path: path, ontology: ontology}
	}
	return inputs
}

// anyInputs returns what each argument names: a URL, the documents of a directory, a file, or "-"
// for standard input.
func (a *App) anyInputs(ontology string, args []string) ([]input, error) {
	var inputs []input
	for _, arg := range args {
		switch stat, err := os.Stat(arg); {
		case arg == "-":
			inputs = append(inputs, input{ontology: ontology})
		case strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://"):
			inputs = append(inputs, input{url: arg, ontology: ontology})
		case err == nil && stat.IsDir():
			paths, left, err := documents.Find(arg, documents.Selection{Include: documents.DefaultPatterns(), Depth: documents.AnyDepth})
			if err != nil {
				return nil, err
			}
			a.noteLeft(arg, left)
			if len(paths) == 0 {
				return nil, noDocuments(arg, documents.DefaultPatterns())
			}
			for _, path := range paths {
				inputs = append(inputs, input{path: path, dir: arg, ontology: ontology})
			}
		default:
			inputs = append(inputs, input{path: arg, ontology: ontology})
		}
	}
	return inputs, nil
}

// submitAll submits documents one after the other. The first that cannot be read
// or is refused does not keep the others from being submitted.
func (a *App) submitAll(cmd *cobra.Command, in *ingestFlags, d client.Document, inputs []input) error {
	if in.key != "" && len(inputs) > 1 {
		return exit.Usage("--key is what one document is known by, and there are %d", len(inputs))
	}
	s, err := a.newSubmission(in)
	if err != nil {
		return err
	}
	defer s.client.Close()
	var failed error
	for _, one := range inputs {
		err := s.input(cmd.Context(), d, one)
		if err == nil {
			continue
		}
		if len(inputs) == 1 || !aboutOneDocument(err) && (one.url == "" || kappa.ErrorCode(err) != kappa.CodeUpstream) {
			return err
		}
		a.note("%s", show.Printable(err.Error()))
		if failed == nil {
			code, _ := exit.CodeOf(err)
			failed = &exit.Error{Code: code, Err: errors.New("some documents were not submitted")}
		}
	}
	return errors.Join(s.finish(cmd.Context()), failed)
}

// input submits one document, as d says of all.
func (s *submission) input(ctx context.Context, d client.Document, in input) error {
	d.Ontology = in.ontology
	switch {
	case in.url != "":
		return s.url(ctx, d, in.url)
	case in.path == "":
		return s.standardInput(ctx, d)
	}
	d, err := documents.Read(d, in.path)
	if err != nil {
		return err
	}
	if s.flags.nameFrom == nameFromPath {
		d.Filename = in.name()
	}
	return s.one(ctx, d)
}

// aboutOneDocument reports whether err says nothing about the other documents.
func aboutOneDocument(err error) bool {
	var file *fs.PathError
	switch kappa.ErrorCode(err) {
	case kappa.CodeMalformed, kappa.CodeInvalid, kappa.CodeTooLarge, kappa.CodeUnsupported, kappa.CodeConflict:
		return true
	}
	return errors.As(err, &file)
}
