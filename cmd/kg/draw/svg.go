package draw

import (
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"github.com/kappagraph/kappa"
)

const (
	width, height, margin = 1200, 900, 80
	longestLabel          = 28
)

// SVG draws a graph: the concepts with the most relationships largest, a colour for each
// type of relationship. The same graph and seed give the same picture. A label that would
// cover a stronger one is left to the tooltip.
func SVG(nodes []kappa.GraphNode, edges []kappa.SubgraphEdge, seed uint64) string {
	number := map[string]int{}
	for i, n := range nodes {
		number[n.ConceptID] = i
	}
	var pairs [][2]int
	for _, e := range edges {
		pairs = append(pairs, [2]int{number[e.FromID], number[e.ToID]})
	}
	at := layout(len(nodes), pairs, seed)
	for i, p := range at {
		at[i] = point{margin + p.x*(width-2*margin), margin + p.y*(height-2*margin)}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">`+"\n"+`<rect width="100%%" height="100%%" fill="white"/>`+"\n", width, height)
	for i, e := range edges {
		from, to := at[pairs[i][0]], at[pairs[i][1]]
		fmt.Fprintf(&b, `<line x1="%.0f" y1="%.0f" x2="%.0f" y2="%.0f" stroke="%s" stroke-opacity="0.6"><title>%s</title></line>`+"\n", from.x, from.y, to.x, to.y, colour(e.Type), escaped(e.Type))
	}
	for i, n := range nodes {
		fmt.Fprintf(&b, `<circle cx="%.0f" cy="%.0f" r="%.1f" fill="#345"><title>%s</title></circle>`+"\n", at[i].x, at[i].y, radius(n), escaped(n.Label))
	}
	writeLabels(&b, nodes, at)
	b.WriteString("</svg>\n")
	return b.String()
}

func radius(n kappa.GraphNode) float64 { return 3 + 2*math.Log2(1+float64(n.Degree)) }

// writeLabels writes the labels that have room, those of the strongest concepts first.
func writeLabels(b *strings.Builder, nodes []kappa.GraphNode, at []point) {
	order := make([]int, len(nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return nodes[j].Degree - nodes[i].Degree })
	type box struct{ left, right, y float64 }
	var taken []box
	for _, i := range order {
		label := []rune(strings.Join(strings.Fields(nodes[i].Label), " "))
		if len(label) > longestLabel {
			label = append(label[:longestLabel-1], '…')
		}
		half := float64(len(label)) * 3.6
		own := box{at[i].x - half, at[i].x + half, at[i].y - radius(nodes[i]) - 4}
		if slices.ContainsFunc(taken, func(o box) bool {
			return own.left < o.right && o.left < own.right && math.Abs(own.y-o.y) < 14
		}) {
			continue
		}
		taken = append(taken, own)
		fmt.Fprintf(b, `<text x="%.0f" y="%.0f" text-anchor="middle">%s</text>`+"\n", at[i].x, own.y, escaped(string(label)))
	}
}

// colour is that of a type of relationship; mere co-occurrence is grey.
func colour(name string) string {
	if name == kappa.TypeRelatedTo {
		return "#bbb"
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return fmt.Sprintf("hsl(%d,65%%,42%%)", h.Sum32()%360)
}

func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder never fails
	return b.String()
}
