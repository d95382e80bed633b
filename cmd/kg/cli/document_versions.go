package cli

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
)

var wholeID = regexp.MustCompile("^sha256:[0-9a-f]{64}$")

// versionCommand makes a command about the versions of a document. The whole id of a version
// that went names it too.
func versionCommand(a *App, cmd *cobra.Command, do func(cmd *cobra.Command, c *client.Client, d corpus.ListedDocument) error) *cobra.Command {
	var ontology string
	cmd.Args = cobra.ExactArgs(1)
	cmd.Flags().StringVar(&ontology, "ontology", "", "the ontology, when several have the document")
	cmd.RunE = a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
		if wholeID.MatchString(args[0]) {
			return do(cmd, c, corpus.ListedDocument{DocumentID: args[0], Ontology: ontology})
		}
		d, err := a.documentNamed(cmd, c, args[0], ontology)
		if err != nil {
			return err
		}
		return do(cmd, c, d)
	})
	return cmd
}

func newDocumentVersionsCommand(a *App) *cobra.Command {
	return versionCommand(a, &cobra.Command{
		Use: "versions DOCUMENT", Short: "List the versions of a document, the newest first", Example: `  kg document versions prices.md`,
		Long: `List the versions of a document, the newest first. What is ingested again from the
same path or URL, or under the same --key, is a new version; the texts of earlier ones
stay readable: see kg document show --version and kg document compare.`,
	}, func(cmd *cobra.Command, c *client.Client, d corpus.ListedDocument) error {
		list, err := c.Documents.Versions(cmd.Context(), d.DocumentID, d.Ontology)
		if err != nil {
			return fmt.Errorf("list the versions of the document: %w", err)
		}
		return a.showAnswer("versions", func() {
			g := show.NewGrid(show.Column{Name: "version", Right: true}, show.Column{Name: "ingested"}, show.Column{Name: "until"}, show.Column{Name: "name", Flex: true}, show.Column{Name: "words", Right: true}, show.Column{Name: "concepts", Right: true}, show.Column{Name: "document"})
			for _, v := range list.Versions {
				until := "stands"
				if v.RetiredAt != nil {
					until = v.RetiredAt.UTC().Format(minuteLayout)
				}
				g.Add(show.Number(v.Version), v.IngestedAt.UTC().Format(minuteLayout), until, v.Filename, show.Number(v.Words), show.Number(v.Concepts), shortHash(v.DocumentID))
			}
			a.writeGrid(g, nil)
			if len(list.Versions) > 1 {
				a.note("What has changed: kg document compare %s", show.OneLine(list.Versions[0].DocumentID))
			}
		})
	})
}

const minuteLayout = "2006-01-02 15:04Z"

// showVersion shows the text of a version.
func (a *App) showVersion(cmd *cobra.Command, c *client.Client, d corpus.ListedDocument, version int) error {
	content, err := c.Documents.Version(cmd.Context(), d.DocumentID, d.Ontology, version)
	if err != nil {
		return fmt.Errorf("show the version of the document: %w", err)
	}
	return a.showAnswer("", func() {
		paint := a.paint(a.out)
		state := "stands"
		if content.RetiredAt != nil {
			state = "until " + content.RetiredAt.UTC().Format(minuteLayout)
		}
		fmt.Fprintf(a.out, "%s  version %d in %s, %s\n", paint.Bold(show.OneLine(content.Filename)), content.Version.Version, show.OneLine(content.Ontology), state)
		for _, chunk := range content.Text {
			fmt.Fprintf(a.out, "\n%s\n%s\n", paint.Dim(fmt.Sprintf("chunk %d, characters %d to %d", chunk.Paragraph, chunk.StartChar, chunk.EndChar)), show.Printable(chunk.FullText))
		}
	})
}

func newDocumentCompareCommand(a *App) *cobra.Command {
	q := corpus.CompareQuery{}
	cmd := versionCommand(a, &cobra.Command{
		Use: "compare DOCUMENT", Short: "Show what has changed between two versions of a document", Example: "  kg document compare prices.md\n  kg document compare prices.md --version 1 --with 3",
		Long: `Show what has changed between two versions of a document: the concepts and
relationships that were gained and lost, and the passages with another text. Without
flags the newest version is compared with the one before.`,
	}, func(cmd *cobra.Command, c *client.Client, d corpus.ListedDocument) error {
		if err := q.Validate(); err != nil {
			return misused(err)
		}
		diff, err := c.Documents.Compare(cmd.Context(), d.DocumentID, d.Ontology, q)
		if kappa.ErrorCode(err) == kappa.CodeNotFound {
			return &exit.Error{Code: exit.Failed, Err: err, Hint: "kg document versions lists what is kept"}
		}
		if err != nil {
			return fmt.Errorf("compare the versions of the document: %w", err)
		}
		return a.showAnswer("", func() { a.writeComparison(diff) })
	})
	cmd.Flags().IntVar(&q.Version, "version", 0, "the earlier version (default: the one before the later)")
	cmd.Flags().IntVar(&q.With, "with", 0, "the later version (default: the newest)")
	cmd.Flags().IntVar(&q.Limit, "limit", corpus.DefaultCompared, "of each list, 1 to 1000")
	return cmd
}

// writeComparison shows what has changed, a line each.
func (a *App) writeComparison(c corpus.Comparison) {
	paint := a.paint(a.out)
	fmt.Fprintf(a.out, "%s  version %d (%s) → version %d (%s)\n", paint.Bold(show.OneLine(c.With.Filename)),
		c.Version.Version, c.Version.IngestedAt.UTC().Format(minuteLayout), c.With.Version, c.With.IngestedAt.UTC().Format(minuteLayout))
	fmt.Fprintf(a.out, "\n%s: %s, %d lost, %d kept\n", paint.Bold("Concepts"), gained(c.Concepts.GainedTotal), c.Concepts.LostTotal, c.Concepts.Kept)
	for _, x := range c.Concepts.Gained {
		fmt.Fprintf(a.out, "  + %s\n", show.OneLine(x.Label))
	}
	for _, x := range c.Concepts.Lost {
		fmt.Fprintf(a.out, "  - %s\n", show.OneLine(x.Label))
	}
	fmt.Fprintf(a.out, "\n%s: %s, %d lost, %d kept\n", paint.Bold("Relationships"), gained(c.Relationships.GainedTotal), c.Relationships.LostTotal, c.Relationships.Kept)
	for _, x := range c.Relationships.Gained {
		fmt.Fprintf(a.out, "  + %s %s %s\n", show.OneLine(x.FromLabel), x.Type, show.OneLine(x.ToLabel))
	}
	for _, x := range c.Relationships.Lost {
		fmt.Fprintf(a.out, "  - %s %s %s\n", show.OneLine(x.FromLabel), x.Type, show.OneLine(x.ToLabel))
	}
	fmt.Fprintf(a.out, "\n%s: %d changed, %d kept\n", paint.Bold("Passages"), c.Passages.Total, c.Passages.Kept)
	for _, p := range c.Passages.Changes {
		if p.Before != nil {
			fmt.Fprintf(a.out, "  - %s\n", show.OneLine(strings.TrimSpace(p.Before.Body)))
		}
		if p.After != nil {
			fmt.Fprintf(a.out, "  + %s\n", show.OneLine(strings.TrimSpace(p.After.Body)))
		}
	}
	if cut := c.Concepts.GainedTotal - len(c.Concepts.Gained) + c.Concepts.LostTotal - len(c.Concepts.Lost) + c.Relationships.GainedTotal - len(c.Relationships.Gained) +
		c.Relationships.LostTotal - len(c.Relationships.Lost) + c.Passages.Total - len(c.Passages.Changes); cut > 0 {
		a.note("%s more; --limit shows up to 1000 of each list", show.Number(cut))
	}
}

func gained(n int) string { return fmt.Sprintf("%d gained", n) }
