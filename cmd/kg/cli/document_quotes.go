package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
)

func newDocumentQuotesCommand(a *App) *cobra.Command {
	var q corpus.QuoteQuery
	cmd := documentCommand(a, &cobra.Command{
		Use: "quotes DOCUMENT", Short: "List what a document is quoted for, in the order of its text", Example: `  kg document quotes report.pdf --limit 20`,
		Long: "List what a document is quoted for, in the order of its text: each place with its bytes, the concepts that\nit shows, and the relationships that it states.",
	}, func(cmd *cobra.Command, c *client.Client, d corpus.ListedDocument) error {
		q.Ontology = d.Ontology
		if err := misused(q.Validate()); err != nil {
			return err
		}
		list, err := c.Documents.Quotes(cmd.Context(), d.DocumentID, q)
		if err != nil {
			return fmt.Errorf("list the quotes of the document: %w", err)
		}
		return a.showAnswer("quotes", func() {
			g := show.NewGrid(show.Column{Name: "bytes", Right: true}, show.Column{Name: "quote", Flex: true}, show.Column{Name: "what it shows and states", Flex: true})
			for _, quote := range list.Quotes {
				g.Add(fmt.Sprintf("%d-%d", quote.Start, quote.End), show.OneLine(quote.Quote), show.OneLine(saidBy(quote)))
			}
			a.writeGrid(g, nil)
			if list.Next != nil {
				a.note("There are more: --cursor %s", *list.Next)
			}
		})
	})
	cmd.Flags().IntVar(&q.Limit, "limit", 500, "how many to list, 1 to 5000")
	cmd.Flags().StringVar(&q.Cursor, "cursor", "", "where the page before ended, as its last line says")
	return cmd
}

// saidBy names the concepts and relationships of a quote.
func saidBy(q corpus.DocumentQuote) string {
	var said []string
	for _, c := range q.Concepts {
		said = append(said, c.Name)
	}
	for _, r := range q.Relationships {
		said = append(said, r.From+" "+show.Arrow(r.Type, true)+" "+r.To)
	}
	return strings.Join(said, "; ")
}
