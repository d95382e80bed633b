package draw

import (
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/knowledge/questions"
)

const (
	pageWidth      = 1200.0 // pixels, as all below
	margin         = 60.0
	longestEdge    = 170.0 // of one unit of the layout, so that small graphs stay small
	legendRow      = 22.0
	legendMargin   = 20.0
	bendOfParallel = 14.0
)

// SVG draws a graph: the concepts with the most relationships largest, a colour for
// each type of relationship with a legend, an arrow where the type has a direction.
// Parts that are not connected stand near each other. The same graph and seed give the
// same picture. Labels without room are left to the tooltips.
func SVG(nodes []questions.GraphNode, edges []questions.SubgraphEdge, seed uint64) string {
	number := make(map[string]int, len(nodes))
	for i, n := range nodes {
		number[n.ConceptID] = i
	}
	p := &picture{nodes: nodes}
	var pairs [][2]int
	for _, e := range edges {
		from, known := number[e.FromID]
		to, both := number[e.ToID]
		if known && both {
			p.edges, pairs = append(p.edges, e), append(pairs, [2]int{from, to})
		}
	}
	p.drawing, p.legend = arrange(len(nodes), pairs, seed), newLegend(p.edges)
	p.scale()
	p.writeEdges()
	for i, n := range nodes {
		fmt.Fprintf(&p.text, `<circle cx="%.0f" cy="%.0f" r="%.1f" fill="#345"><title>%s</title></circle>`+"\n", p.at[i].x, p.at[i].y, radius(n), escaped(n.Label))
	}
	p.writeLabels()
	p.writeLegend()
	return p.head() + p.text.String() + "</svg>\n"
}

// Connected returns the nodes that an edge joins with another one.
func Connected(nodes []questions.GraphNode, edges []questions.SubgraphEdge) []questions.GraphNode {
	joined := map[string]bool{}
	for _, e := range edges {
		if e.FromID != e.ToID {
			joined[e.FromID], joined[e.ToID] = true, true
		}
	}
	return slices.DeleteFunc(slices.Clone(nodes), func(n questions.GraphNode) bool { return !joined[n.ConceptID] })
}

// picture is a drawing in pixels.
type picture struct {
	drawing
	nodes  []questions.GraphNode
	edges  []questions.SubgraphEdge // as pairs
	legend legend
	height float64 // without the legend
	text   strings.Builder
}

// scale makes the drawing as wide as the page, unless that would make it coarse.
func (p *picture) scale() {
	var high point
	for _, at := range p.at {
		high = point{max(high.x, at.x+room), max(high.y, at.y+room)}
	}
	unit := min(longestEdge, (pageWidth-2*margin)/max(1e-9, high.x))
	left := (pageWidth - unit*high.x) / 2
	for i, at := range p.at {
		p.at[i] = point{left + unit*at.x, margin/2 + unit*at.y}
	}
	p.height = math.Round(margin + unit*high.y)
}

// head begins the file; each colour has an arrowhead of its own.
func (p *picture) head() string {
	var b strings.Builder
	height := p.height + legendRow*float64(p.legend.rows())
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="sans-serif" font-size="13">`+"\n"+
		`<style>text{paint-order:stroke;stroke:#fff;stroke-width:3px}path{fill:none}</style>`+"\n<defs>\n", pageWidth, height)
	var made []string
	for _, e := range p.legend.entries {
		if e.directed && !slices.Contains(made, e.colour) {
			made = append(made, e.colour)
			fmt.Fprintf(&b, `<marker id="%s" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><polygon points="0,1 8,4 0,7" fill="%s"/></marker>`+"\n", markerOf(e.colour), e.colour)
		}
	}
	b.WriteString("</defs>\n" + `<rect width="100%" height="100%" fill="white"/>` + "\n")
	return b.String()
}

func markerOf(colour string) string { return "arrow-" + strings.TrimPrefix(colour, "#") }

func (p *picture) arrow(colour string, directed bool) string {
	if !directed {
		return ""
	}
	return fmt.Sprintf(` marker-end="url(#%s)"`, markerOf(colour))
}

// writeEdges writes the relationships, mere co-occurrence first, so that the others are
// above it. Of several between two concepts all but the first are bent.
func (p *picture) writeEdges() {
	bends := map[[2]int]int{}
	for _, above := range []bool{false, true} {
		for i, e := range p.edges {
			if directed(e.Type) != above {
				continue
			}
			pair := p.pairs[i]
			ends := [2]int{min(pair[0], pair[1]), max(pair[0], pair[1])}
			bend := bendOfParallel * float64((bends[ends]+1)/2)
			if bends[ends]%2 == 1 != (pair[0] > pair[1]) {
				bend = -bend
			}
			bends[ends]++
			colour := p.legend.colours[e.Type]
			fmt.Fprintf(&p.text, `<path d="%s" stroke="%s" stroke-opacity="0.75"%s><title>%s</title></path>`+"\n",
				p.course(pair[0], pair[1], bend), colour, p.arrow(colour, above), escaped(p.nodes[pair[0]].Label+" "+e.Type+" "+p.nodes[pair[1]].Label))
		}
	}
}

// course returns the way from the rim of one concept to that of another, or a loop.
func (p *picture) course(from, to int, bend float64) string {
	a, b := p.at[from], p.at[to]
	start, end := radius(p.nodes[from]), radius(p.nodes[to])+1
	if from == to {
		return fmt.Sprintf("M%.1f %.1fc-24 -26 24 -26 %.1f 0", a.x-2, a.y-start, 4.0)
	}
	distance := max(1e-9, math.Hypot(b.x-a.x, b.y-a.y))
	along, across := point{(b.x - a.x) / distance, (b.y - a.y) / distance}, point{(a.y - b.y) / distance, (b.x - a.x) / distance}
	a = a.plus(point{start * along.x, start * along.y})
	b = b.plus(point{-end * along.x, -end * along.y})
	if bend == 0 {
		return fmt.Sprintf("M%.1f %.1fL%.1f %.1f", a.x, a.y, b.x, b.y)
	}
	middle := point{(a.x+b.x)/2 + 2*bend*across.x, (a.y+b.y)/2 + 2*bend*across.y}
	return fmt.Sprintf("M%.1f %.1fQ%.1f %.1f %.1f %.1f", a.x, a.y, middle.x, middle.y, b.x, b.y)
}

func log2(n int) float64 { return math.Log2(float64(n)) }

func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder never fails
	return b.String()
}
