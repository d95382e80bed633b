package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
)

// NewSourceCommand returns kg source, which shows and searches the chunks of documents.
func NewSourceCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "source", Aliases: []string{"sources"}, Short: "List, show and search the chunks of documents", RunE: onlySubcommands}
	cmd.AddCommand(newSourceListCommand(a), newSourceShowCommand(a), newSourceSearchCommand(a), newSourceDocumentCommand(a), newSourceEmbedCommand(a))
	return cmd
}

func newSourceListCommand(a *App) *cobra.Command {
	var p corpus.PageQuery
	cmd := &cobra.Command{Use: "list", Short: "List the chunks, those of the newest document first", Example: `  kg source list --limit 5`, Args: cobra.NoArgs}
	pageFlags(cmd, &p)
	cmd.RunE = a.withChecked(func(*cobra.Command, []string) error { return misused(p.Validate(kappa.ListSources, kappa.SourceKeys)) },
		func(cmd *cobra.Command, c *client.Client, _ []string) error {
			list, err := c.Sources.List(cmd.Context(), p)
			if err != nil {
				return fmt.Errorf("list sources: %w", err)
			}
			return a.showAnswer("sources", func() {
				g := show.NewGrid(show.Column{Name: "source"}, show.Column{Name: "chunk", Right: true}, show.Column{Name: "name", Flex: true}, show.Column{Name: "ontology"}, show.Column{Name: "document"})
				for _, s := range list.Sources {
					g.Add(s.SourceID, show.Number(s.Paragraph), s.Filename, s.Document, shortHash(s.DocumentID))
				}
				a.writeGrid(g, nil)
				if shown := p.Offset + len(list.Sources); shown < list.Total {
					a.note("%s of %s; the next ones: --offset %d", show.Number(len(list.Sources)), show.Counted(list.Total, "source"), shown)
				}
			})
		})
	return cmd
}

func newSourceShowCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "show SOURCE", Aliases: []string{"info"}, Short: "Show a chunk and where it is from", Example: `  kg source show src_a195ca4f52d7`, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			s, err := c.Sources.Get(cmd.Context(), args[0])
			if err != nil {
				return fmt.Errorf("show the source: %w", err)
			}
			return a.showAnswer("", func() {
				paint := a.paint(a.out)
				fmt.Fprintf(a.out, "%s  chunk %d of %s in %s, characters %d to %d\n%s\n\n%s\n", paint.Bold(s.SourceID), s.Paragraph, show.OneLine(s.Filename),
					show.OneLine(s.Document), s.StartChar, s.EndChar, paint.Dim(s.DocumentID), show.Printable(s.FullText))
			})
		}),
	}
}

func newSourceDocumentCommand(a *App) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use: "document SOURCE", Short: "Download the document of a chunk", Example: `  kg source document src_a195ca4f52d7 --to report.pdf`, Args: cobra.ExactArgs(1),
		RunE: a.withChecked(func(*cobra.Command, []string) error {
			if to == "" {
				return exit.Usage("say where it goes: --to FILE")
			}
			return nil
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			s, err := c.Sources.Get(cmd.Context(), args[0])
			if err != nil {
				return fmt.Errorf("find the source: %w", err)
			}
			_, err = a.saveTo(to, func(w io.Writer) (int64, error) { return c.Documents.Download(cmd.Context(), s.DocumentID, w) })
			return err
		}),
	}
	cmd.Flags().StringVar(&to, "to", "", "the file to write, which must not exist; - is standard output")
	return cmd
}

// fillQuery completes a query from the words and the least similarity of a command line.
func fillQuery(q *corpus.SourceQuery, words []string, least *float64) error {
	q.Query, q.MinSimilarity = strings.Join(words, " "), least
	return misused(q.Validate())
}

func newSourceSearchCommand(a *App) *cobra.Command {
	var q corpus.SourceQuery
	cmd := &cobra.Command{
		Use: "search WORDS...", Short: "Find the passages that have words, or are about a phrase", Long: `Find passages by their words and by their concepts. All words in one chunk are a
similarity of 0.8 or more; --min-similarity 0.4 finds some of them too.`,
		Args:    cobra.MinimumNArgs(1),
		Example: "  kg source search analytical engine\n  kg source search --min-similarity 0.4 who built the engine",
	}
	least := searchFlags(cmd, &q, 10)
	cmd.Flags().StringArrayVar(&q.DocumentIDs, "document", nil, "only in the document with this id; may be given up to 100 times")
	cmd.RunE = a.withChecked(func(_ *cobra.Command, args []string) error { return fillQuery(&q, args, least) },
		func(cmd *cobra.Command, c *client.Client, _ []string) error {
			hits, err := c.Sources.Search(cmd.Context(), q)
			if err != nil {
				return fmt.Errorf("search the sources: %w", err)
			}
			return a.showAnswer("results", func() { a.writeSourceHits(hits) })
		})
	return cmd
}

func (a *App) writeSourceHits(hits api.SourceHits) {
	if hits.Count == 0 {
		a.note("No passage is about that; --min-similarity 0.4 also finds some of the words.")
		return
	}
	paint := a.paint(a.out)
	for i, h := range hits.Results {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		fmt.Fprintf(a.out, "%.2f  %s  chunk %d of %s in %s\n", h.Similarity, paint.Bold(h.SourceID), h.Paragraph, show.OneLine(h.Filename), show.OneLine(h.Document))
		fmt.Fprintf(a.out, "      “%s”\n", show.OneLine(h.Matched.Text))
		var names []string
		for _, concept := range h.Concepts[:min(8, len(h.Concepts))] {
			names = append(names, show.OneLine(concept.Label))
		}
		if len(names) > 0 {
			fmt.Fprintf(a.out, "      %s\n", paint.Dim(strings.Join(names, ", ")))
		}
	}
}
