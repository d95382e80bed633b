package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/draw"
)

func newDrawCommand(a *App) *cobra.Command {
	q := kappa.ExportQuery{Format: kappa.ExportJSON}
	var file string
	var seed uint64
	cmd := &cobra.Command{
		Use:   "draw [CONCEPT...]",
		Short: "Draw what is around concepts, or the strongest concepts, as SVG",
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			q.Seeds = args
			if err := a.resolveSeeds(cmd, c, q.Seeds); err != nil {
				return err
			}
			if err := q.Validate(); err != nil {
				return misused(err)
			}
			var answer bytes.Buffer
			if err := c.Export(cmd.Context(), q, &answer); err != nil {
				return fmt.Errorf("read the graph: %w", err)
			}
			var graph struct {
				Nodes []kappa.GraphNode
				Edges []kappa.SubgraphEdge
			}
			if err := json.Unmarshal(answer.Bytes(), &graph); err != nil {
				return fmt.Errorf("the export is not what Kappa sends: %w", err)
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
	cmd.Flags().IntVar(&q.Limit, "limit", 60, "concepts at most")
	cmd.Flags().StringSliceVar(&q.Types, "type", nil, "only relationships of these types")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "another seed gives another layout")
	return cmd
}
