package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
)

// NewDocumentCommand returns kg document, which shows and searches the documents that
// were ingested.
func NewDocumentCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "document", Aliases: []string{"doc", "documents"}, Short: "List, show, search, download and delete the documents that were ingested", RunE: onlySubcommands}
	cmd.AddCommand(newDocumentListCommand(a), newDocumentShowCommand(a), newDocumentVersionsCommand(a), newDocumentCompareCommand(a), newDocumentConceptsCommand(a), newDocumentQuotesCommand(a), newDocumentSearchCommand(a), newDocumentDownloadCommand(a), newDocumentDeleteCommand(a))
	return cmd
}

// pageFlags adds the flags of a list.
func pageFlags(cmd *cobra.Command, p *corpus.PageQuery) {
	cmd.Flags().StringVar(&p.Ontology, "ontology", "", "only of this ontology")
	cmd.Flags().IntVar(&p.Limit, "limit", 50, "how many to list, 1 to 200")
	cmd.Flags().IntVar(&p.Offset, "offset", 0, "leave out this many")
}

func newDocumentListCommand(a *App) *cobra.Command {
	var p corpus.PageQuery
	cmd := &cobra.Command{Use: "list", Short: "List the documents, newest first", Example: `  kg document list --ontology demo`, Args: cobra.NoArgs}
	pageFlags(cmd, &p)
	cmd.RunE = a.withChecked(func(*cobra.Command, []string) error {
		return misused(p.Validate(kappa.ListDocuments, kappa.DocumentKeys))
	},
		func(cmd *cobra.Command, c *client.Client, _ []string) error {
			list, err := c.Documents.List(cmd.Context(), p)
			if err != nil {
				return fmt.Errorf("list documents: %w", err)
			}
			return a.showAnswer("documents", func() {
				if len(list.Documents) == 0 {
					a.note("No documents: kg ingest file --ontology NAME PATH adds one.")
					return
				}
				g := show.NewGrid(show.Column{Name: "document"}, show.Column{Name: "name", Flex: true}, show.Column{Name: "ontology"}, show.Column{Name: "chunks", Right: true}, show.Column{Name: "concepts", Right: true}, show.Column{Name: "age", Right: true})
				for _, d := range list.Documents {
					g.Add(shortHash(d.DocumentID), nameOf(d), d.Ontology, show.Number(d.SourceCount), show.Number(d.ConceptCount), show.Age(d.CreatedAt.Time))
				}
				a.writeGrid(g, nil)
				if shown := p.Offset + len(list.Documents); shown < list.Total {
					a.note("%s of %s; the next ones: --offset %d", show.Number(len(list.Documents)), show.Counted(list.Total, "document"), shown)
				}
			})
		})
	return cmd
}

// nameOf is what a document is called among all others; older servers do not say it.
func nameOf(d corpus.ListedDocument) string { return cmp.Or(d.Name, d.Filename) }

// shortHash is the start of a document's id, which commands take for the whole.
func shortHash(id string) string { return id[:min(len(id), len("sha256:")+12)] }

// documentNamed returns a document by its id, the start of its id, or its name, of which
// there must be one; a name may have been given in one ontology only.
func (a *App) documentNamed(cmd *cobra.Command, c *client.Client, name, ontology string) (corpus.ListedDocument, error) {
	var found []corpus.ListedDocument
	const page = 200
	for offset := 0; ; offset += page {
		list, err := c.Documents.List(cmd.Context(), corpus.PageQuery{Ontology: ontology, Limit: page, Offset: offset})
		if err != nil {
			return corpus.ListedDocument{}, fmt.Errorf("find the document: %w", err)
		}
		for _, d := range list.Documents {
			if d.DocumentID == name || shortHash(d.DocumentID) == name || d.Filename == name || d.Name == name {
				found = append(found, d)
			}
		}
		if offset+len(list.Documents) >= list.Total || len(list.Documents) == 0 {
			break
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return corpus.ListedDocument{}, kappa.NewError(kappa.CodeNotFound, "no document is called "+show.OneLine(name)+"; see: kg document list")
	}
	var message strings.Builder
	fmt.Fprintf(&message, "%d documents are called %s: give --ontology or an id:", len(found), show.OneLine(name))
	for _, d := range found[:min(5, len(found))] {
		message.WriteString("\n  " + shortHash(d.DocumentID) + "  " + show.OneLine(d.Ontology) + "  " + show.OneLine(nameOf(d)))
	}
	return corpus.ListedDocument{}, exit.Usage("%s", message.String())
}

// documentCommand makes a command about one document. It is the one of an ontology, if
// that is given.
func documentCommand(a *App, cmd *cobra.Command, do func(cmd *cobra.Command, c *client.Client, d corpus.ListedDocument) error) *cobra.Command {
	var ontology string
	cmd.Args = cobra.ExactArgs(1)
	cmd.Flags().StringVar(&ontology, "ontology", "", "the ontology, when several have the document")
	cmd.RunE = a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
		d, err := a.documentNamed(cmd, c, args[0], ontology)
		if err != nil {
			return err
		}
		return do(cmd, c, d)
	})
	return cmd
}

func newDocumentShowCommand(a *App) *cobra.Command {
	var version int
	cmd := versionCommand(a, &cobra.Command{
		Use: "show DOCUMENT", Aliases: []string{"content"}, Short: "Show a document with its chunks", Example: "  kg document show report.pdf\n  kg document show report.pdf --version 2",
		Long: "Show a document with its chunks. A document is named by its id, the start of its id that lists show, or its name.",
	}, func(cmd *cobra.Command, c *client.Client, d corpus.ListedDocument) error {
		if cmd.Flags().Changed("version") {
			if version < 1 {
				return exit.Usage("--version must be at least 1, got %d", version)
			}
			return a.showVersion(cmd, c, d, version)
		}
		content, err := c.Documents.Content(cmd.Context(), d.DocumentID, d.Ontology)
		if err != nil {
			return fmt.Errorf("show the document: %w", err)
		}
		return a.showAnswer("", func() {
			paint := a.paint(a.out)
			fmt.Fprintf(a.out, "%s  %s in %s, %s\n", paint.Bold(show.OneLine(content.Filename)), content.DocumentID, show.OneLine(content.Ontology), show.OneLine(content.MediaType))
			for _, chunk := range content.Chunks {
				fmt.Fprintf(a.out, "\n%s\n%s\n", paint.Dim(fmt.Sprintf("chunk %d, %s, characters %d to %d", chunk.Paragraph, chunk.SourceID, chunk.StartChar, chunk.EndChar)), show.Printable(chunk.FullText))
			}
		})
	})
	cmd.Flags().IntVar(&version, "version", 0, "show this version, as kg document versions numbers them")
	return cmd
}

func newDocumentConceptsCommand(a *App) *cobra.Command {
	return documentCommand(a, &cobra.Command{Use: "concepts DOCUMENT", Short: "List the concepts that a document shows, the main ones first", Example: `  kg document concepts report.pdf`},
		func(cmd *cobra.Command, c *client.Client, d corpus.ListedDocument) error {
			list, err := c.Documents.Concepts(cmd.Context(), d.DocumentID, d.Ontology)
			if err != nil {
				return fmt.Errorf("list the concepts of the document: %w", err)
			}
			return a.showAnswer("concepts", func() {
				g := show.NewGrid(show.Column{Name: "concept", Flex: true}, show.Column{Name: "weight", Right: true}, show.Column{Name: "id"}, show.Column{Name: "quotes", Right: true}, show.Column{Name: "first in"})
				for _, concept := range list.Concepts {
					g.Add(concept.Name, fmt.Sprintf("%.1f", concept.Weight), concept.ConceptID, show.Number(concept.InstanceCount), concept.SourceID)
				}
				a.writeGrid(g, nil)
			})
		})
}

func newDocumentDownloadCommand(a *App) *cobra.Command {
	var to string
	cmd := documentCommand(a, &cobra.Command{
		Use: "download DOCUMENT", Short: "Download a document as it was submitted", Example: "  kg document download sha256:0123456789ab --to notes.md",
	}, func(cmd *cobra.Command, c *client.Client, d corpus.ListedDocument) error {
		if to == "" {
			return exit.Usage("say where it goes: --to FILE")
		}
		n, err := a.saveTo(to, func(w io.Writer) (int64, error) { return c.Documents.Download(cmd.Context(), d.DocumentID, w) })
		if err != nil || to == "-" {
			return err
		}
		a.note("%s: %s", to, corpus.HumanSize(int(n)))
		if a.output != formatTable {
			return a.show(map[string]any{"document_id": d.DocumentID, "file": to, "bytes": n}, nil)
		}
		return nil
	})
	cmd.Flags().StringVar(&to, "to", "", "the file to write, which must not exist; - is standard output")
	return cmd
}

// searchFlags adds the flags of a search of texts.
func searchFlags(cmd *cobra.Command, q *corpus.SourceQuery, limit int) (least *float64) {
	cmd.Flags().StringVar(&q.Ontology, "ontology", "", "only in this ontology")
	cmd.Flags().IntVar(&q.Limit, "limit", limit, "how many to show, 1 to 100")
	return cmd.Flags().Float64("min-similarity", corpus.DefaultDocumentSimilarity, "how similar at least, 0 to 1; all words in one chunk are 0.8 or more")
}

func newDocumentSearchCommand(a *App) *cobra.Command {
	var q corpus.SourceQuery
	cmd := &cobra.Command{Use: "search WORDS...", Short: "Find the documents that have words, or are about a phrase", Example: `  kg document search analytical engine`, Args: cobra.MinimumNArgs(1)}
	least := searchFlags(cmd, &q, 20)
	cmd.RunE = a.withChecked(func(_ *cobra.Command, args []string) error { return fillQuery(&q, args, least) },
		func(cmd *cobra.Command, c *client.Client, _ []string) error {
			hits, err := c.Documents.Search(cmd.Context(), q)
			if err != nil {
				return fmt.Errorf("search the documents: %w", err)
			}
			return a.showAnswer("documents", func() {
				if len(hits.Documents) == 0 {
					a.note("No document is about that; --min-similarity 0.4 also finds some of the words.")
					return
				}
				g := show.NewGrid(show.Column{Name: "similar", Right: true}, show.Column{Name: "name", Flex: true}, show.Column{Name: "ontology"}, show.Column{Name: "chunks", Right: true}, show.Column{Name: "document"})
				for _, d := range hits.Documents {
					g.Add(fmt.Sprintf("%.2f", d.Best), d.Filename, d.Ontology, show.Number(d.SourceCount), shortHash(d.DocumentID))
				}
				a.writeGrid(g, nil)
			})
		})
	return cmd
}

func newDocumentDeleteCommand(a *App) *cobra.Command {
	var yes, dry bool
	cmd := documentCommand(a, &cobra.Command{
		Use: "delete DOCUMENT", Short: "Take a document out of the graph", Example: `  kg document delete report.pdf --dry-run`,
		Long: `Take a document out of the graph: its chunks, its quotes, and every concept and
relationship that no other document supports. Unless --yes is given, a "yes" is
asked for.`,
	}, func(cmd *cobra.Command, c *client.Client, d corpus.ListedDocument) error {
		if dry {
			r, err := c.Documents.PreviewDelete(cmd.Context(), d.DocumentID, d.Ontology)
			if err != nil {
				return fmt.Errorf("preview the deletion of the document: %w", err)
			}
			return a.showAnswer("", func() { a.writeWouldGo(r) })
		}
		if !yes {
			if err := a.confirm(fmt.Sprintf("Delete %s (%s) from %s. Type yes to go on: ", show.OneLine(d.Filename), show.Counted(d.SourceCount, "chunk"), show.OneLine(d.Ontology))); err != nil {
				return err
			}
		}
		removed, err := c.Documents.Delete(cmd.Context(), d.DocumentID, d.Ontology)
		if err != nil {
			return fmt.Errorf("delete the document: %w", err)
		}
		return a.showAnswer("", func() { a.writeRemoved(removed) })
	})
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be deleted")
	return cmd
}

// writeWouldGo says what would go with a document.
func (a *App) writeWouldGo(r corpus.Removed) {
	fmt.Fprintf(a.out, "%s, %s, %s and %s would go from %s\n", show.Counted(r.SourcesDeleted, "chunk"), show.Counted(r.InstancesDeleted, "quote"), show.Counted(r.ConceptsDeleted, "concept"),
		show.Counted(r.RelationshipsDeleted, "relationship"), show.OneLine(r.Ontology))
}

// writeRemoved says what went with a document.
func (a *App) writeRemoved(r corpus.Removed) {
	fmt.Fprintf(a.out, "%s is out of %s: %s, %s, %s and %s went; %s stay\n", show.OneLine(r.Filename), show.OneLine(r.Ontology),
		show.Counted(r.SourcesDeleted, "chunk"), show.Counted(r.InstancesDeleted, "quote"), show.Counted(r.ConceptsDeleted, "concept"),
		show.Counted(r.RelationshipsDeleted, "relationship"), show.Counted(r.ConceptsKept, "concept"))
}
