package cli

import (
	"errors"
	"io/fs"

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
			return a.submitFiles(cmd, in, d, inOntology(d.Ontology, paths))
		},
	}
}

// documentFile is a file, and the ontology that it is submitted to.
type documentFile struct{ path, ontology string }

func inOntology(ontology string, paths []string) []documentFile {
	files := make([]documentFile, len(paths))
	for i, path := range paths {
		files[i] = documentFile{path: path, ontology: ontology}
	}
	return files
}

// submitFiles submits files one after the other. The first that cannot be read
// or is refused does not keep the others from being submitted.
func (a *App) submitFiles(cmd *cobra.Command, in *ingestFlags, d client.Document, files []documentFile) error {
	s, err := a.newSubmission(in)
	if err != nil {
		return err
	}
	defer s.client.Close()
	var failed error
	for _, file := range files {
		d.Ontology = file.ontology
		one, err := documents.Read(d, file.path)
		if err == nil {
			err = s.one(cmd.Context(), one)
		}
		if err == nil {
			continue
		}
		if len(files) == 1 || !aboutOneDocument(err) {
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
	case kappa.CodeMalformed, kappa.CodeInvalid, kappa.CodeTooLarge, kappa.CodeUnsupported, kappa.CodeConflict:
		return true
	}
	return errors.As(err, &file)
}
