package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

func newIngestURLCommand(a *App, in *ingestFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "url URL...",
		Short: "Submit documents that are on the web",
		Long: `Have the server fetch documents and submit them. What is at a URL is recognised by
its content, as a file is. The server reaches public addresses only, unless its operator
opens others (KG_URL_PRIVATE, KG_URL_ALLOW); redirects are followed, and shown.`,
		Example: "  kg ingest url --ontology web https://go.dev/ref/spec",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, urls []string) error {
			d, err := a.document(cmd, in)
			if err != nil {
				return err
			}
			inputs := make([]input, len(urls))
			for i, address := range urls {
				inputs[i] = input{url: address, ontology: d.Ontology}
			}
			return a.submitAll(cmd, in, d, inputs)
		},
	}
}

// url has the server fetch a document, and says what became of it.
func (s *submission) url(ctx context.Context, d client.Document, address string) error {
	d.SourceHostname = "" // it is the server that fetches
	done, err := s.client.Documents.SubmitURL(ctx, address, d)
	if err != nil {
		return fmt.Errorf("submit %s: %w", show.Printable(address), err)
	}
	s.answers = append(s.answers, s.app.answers.answer())
	name := address
	if done.Fetched != nil {
		if name = done.Fetched.URL; len(done.Fetched.Redirects) > 0 {
			s.app.note("redirected to %s", show.Printable(name))
		}
	}
	s.took(done, name)
	return nil
}
