package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/draw"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// mostDrawn is how many concepts a picture has at most; more of them run into each other.
const mostDrawn = 2000

func newDrawCommand(a *App) *cobra.Command {
	q := questions.ExportQuery{Format: questions.ExportJSON}
	var file string
	var seed uint64
	cmd := &cobra.Command{
		Use:   "draw [CONCEPT...]",
		Short: "Draw what is around concepts, or the strongest concepts, as SVG",
		Long: `Draw what is around concepts, an ontology, or the whole graph as SVG: 60 concepts at
most unless --limit says otherwise, up to 2,000. Of the strongest concepts of a
larger graph those without a relationship to one of the others are left out.`,
		Example: `  kg graph draw --ontology earth --file earth.svg`,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			q.Seeds = args
			if err := a.resolveSeeds(cmd, c, q.Seeds); err != nil {
				return err
			}
			if err := q.Validate(); err != nil {
				return misused(err)
			}
			if q.Limit < 1 || q.Limit > mostDrawn {
				return exit.Usage("--limit: must be 1 to %d, got %d", mostDrawn, q.Limit)
			}
			graph, err := a.graphToDraw(cmd.Context(), c, q)
			if err != nil {
				return err
			}
			write := func(w io.Writer) error {
				_, err := io.WriteString(w, draw.SVG(graph.Nodes, graph.Edges, seed))
				return err
			}
			if file == "" {
				return write(a.out)
			}
			return writeWhole(file, write)
		}),
	}
	cmd.Flags().StringVar(&file, "file", "", "write to this file instead of standard output")
	cmd.Flags().StringVar(&q.Ontology, "ontology", "", "draw this ontology")
	cmd.Flags().IntVar(&q.MaxHops, "max-hops", 2, "how many relationships away from the concepts, 1 to 5")
	cmd.Flags().IntVar(&q.Limit, "limit", 60, fmt.Sprintf("concepts at most, 1 to %d", mostDrawn))
	cmd.Flags().StringSliceVar(&q.Types, "type", nil, "only relationships of these types")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "another seed gives another layout")
	return cmd
}

// drawn is what a picture shows.
type drawn struct {
	Nodes []questions.GraphNode
	Edges []questions.SubgraphEdge
}

// graphToDraw reads what q asks for. When that is only the strongest concepts, those
// without a relationship to one of the others are left out.
func (a *App) graphToDraw(ctx context.Context, c *client.Client, q questions.ExportQuery) (graph drawn, err error) {
	var answer bytes.Buffer
	if err := c.Graph.Export(ctx, q, &answer); err != nil {
		return drawn{}, fmt.Errorf("read the graph: %w", err)
	}
	if err := json.Unmarshal(answer.Bytes(), &graph); err != nil {
		return drawn{}, fmt.Errorf("the export is not what Kappa sends: %w", err)
	}
	if len(graph.Nodes) < q.Limit || len(q.Seeds) > 0 {
		return graph, nil
	}
	all := len(graph.Nodes)
	graph.Nodes = draw.Connected(graph.Nodes, graph.Edges)
	if alone := all - len(graph.Nodes); alone > 0 {
		a.note("Left out: %s without a relationship to one of the others.", show.Counted(alone, "concept"))
	}
	return graph, nil
}
