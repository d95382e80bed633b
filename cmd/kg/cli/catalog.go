package cli

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// NewCatalogCommand returns kg catalog, which walks the tree of what was ingested.
func NewCatalogCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "catalog", Short: "Browse the tree of ontologies, documents and chunks", RunE: onlySubcommands}
	cmd.AddCommand(newCatalogListCommand(a), newCatalogStatCommand(a))
	return cmd
}

func newCatalogListCommand(a *App) *cobra.Command {
	q := questions.CatalogQuery{}
	cmd := &cobra.Command{
		Use: "ls [NODE]", Short: "List the ontologies, the documents of an ontology, or the chunks of a document", Long: `List ontologies, the documents of one, or the chunks of a document. A node is named by
its id, an ontology also by its name.`,
		Example: `  kg catalog ls
  kg catalog ls earth --query vol`,
		Args: cobra.MaximumNArgs(1),
	}
	flags := cmd.Flags()
	flags.StringVar(&q.Kind, "kind", "", "what NODE is, when its name could be several: ontology or document")
	flags.StringVar(&q.Ontology, "ontology", "", "of a document that is in several: the one that is meant")
	flags.StringVarP(&q.Fragment, "query", "q", "", "only those with this in their name")
	flags.StringVar(&q.Sort, "sort", questions.CatalogByName, "name, child_count or created")
	flags.IntVar(&q.Limit, "limit", 100, "how many to list, 1 to 500")
	flags.IntVar(&q.Offset, "offset", 0, "leave out this many")
	asked := func(args []string) questions.CatalogQuery {
		q := q
		if len(args) == 1 {
			q.Parent = args[0]
		}
		return q
	}
	cmd.RunE = a.withChecked(func(_ *cobra.Command, args []string) error { return misused(asked(args).Validate()) },
		func(cmd *cobra.Command, c *client.Client, args []string) error {
			page, err := c.Graph.CatalogChildren(cmd.Context(), asked(args))
			if err != nil {
				return fmt.Errorf("list the catalogue: %w", err)
			}
			return a.showAnswer("nodes", func() { a.writeCatalog(page) })
		})
	return cmd
}

func (a *App) writeCatalog(page questions.CatalogPage) {
	if len(page.Nodes) == 0 {
		a.note("Nothing is here.")
		return
	}
	children := map[string]string{questions.CatalogOntology: "documents", questions.CatalogDocument: "chunks", questions.CatalogSource: ""}[page.ChildKind]
	columns := []show.Column{{Name: "name", Flex: true}, {Name: "id"}}
	if children != "" {
		columns = append(columns, show.Column{Name: children, Right: true})
	}
	g := show.NewGrid(columns...)
	for _, n := range page.Nodes {
		cells := []string{n.Name, shortHash(n.ID)}
		if n.Kind != questions.CatalogDocument {
			cells[1] = n.ID
		}
		if children != "" {
			cells = append(cells, show.Number(n.ChildCount))
		}
		g.Add(cells...)
	}
	a.writeGrid(g, nil)
	if shown := page.Offset + len(page.Nodes); shown < page.Total {
		a.note("%s of %s; the next ones: --offset %d", show.Number(len(page.Nodes)), show.Number(page.Total), shown)
	}
}

func newCatalogStatCommand(a *App) *cobra.Command {
	kind := ""
	cmd := &cobra.Command{
		Use: "stat NODE", Short: "Show an ontology, a document or a chunk", Example: `  kg catalog stat earth`, Args: cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&kind, "kind", "", "what NODE is, when its name could be several: ontology, document or source")
	cmd.RunE = a.withChecked(func(_ *cobra.Command, args []string) error {
		return misused(questions.CheckCatalogNode(args[0], kind, ""))
	},
		func(cmd *cobra.Command, c *client.Client, args []string) error {
			n, err := c.Graph.CatalogNode(cmd.Context(), args[0], kind)
			if err != nil {
				return fmt.Errorf("show the node: %w", err)
			}
			return a.showAnswer("", func() {
				fmt.Fprintf(a.out, "%s  %s %s\n", a.paint(a.out).Bold(show.OneLine(n.Name)), n.Kind, show.OneLine(n.ID))
				g := show.NewGrid(show.Column{Name: "property"}, show.Column{Name: "value", Flex: true})
				if n.ParentID != nil {
					g.Add("parent", *n.ParentID)
				}
				if n.Kind != questions.CatalogSource {
					g.Add("children", show.Number(n.ChildCount))
				}
				if n.ContentType != nil {
					g.Add("content type", *n.ContentType)
				}
				for _, name := range slices.Sorted(maps.Keys(n.Properties)) {
					g.Add(name, fmt.Sprint(n.Properties[name]))
				}
				a.writeGrid(g, nil)
			})
		})
	return cmd
}
