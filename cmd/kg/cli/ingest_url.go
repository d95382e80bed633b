package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/cmd/kg/exit"
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
			s, err := a.newSubmission(in)
			if err != nil {
				return err
			}
			defer s.client.Close()
			d.SourceHostname = "" // it is the server that fetches
			var failed error
			for _, address := range urls {
				done, err := s.client.Documents.SubmitURL(cmd.Context(), address, d)
				if err != nil {
					err = fmt.Errorf("submit %s: %w", show.Printable(address), err)
					if len(urls) == 1 || !aboutOneDocument(err) && kappa.ErrorCode(err) != kappa.CodeUpstream {
						return err
					}
					a.note("%s", show.Printable(err.Error()))
					code, _ := exit.CodeOf(err)
					failed = &exit.Error{Code: code, Err: errors.New("some documents were not submitted")}
					continue
				}
				s.answers = append(s.answers, a.answers.answer())
				name := address
				if done.Fetched != nil {
					if name = done.Fetched.URL; len(done.Fetched.Redirects) > 0 {
						a.note("redirected to %s", show.Printable(name))
					}
				}
				s.took(done, name)
			}
			return errors.Join(s.finish(cmd.Context()), failed)
		},
	}
}
