package draw

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/knowledge/questions"
)

const (
	longestLabel = 28
	charWidth    = 7.2 // of 13 px text, on the wide side
	lineHeight   = 15.0
)

// writeLabels writes the labels that have room, those of the strongest concepts first:
// above a concept, below it, or beside it. A label without room is left to the tooltip.
func (p *picture) writeLabels() {
	order := make([]int, len(p.nodes))
	taken := make([]rectangle, 0, 2*len(p.nodes))
	for i := range order {
		order[i] = i
		r := radius(p.nodes[i])
		taken = append(taken, rectangle{p.at[i].plus(point{-r, -r}), point{2 * r, 2 * r}})
	}
	slices.SortStableFunc(order, func(i, j int) int { return p.nodes[j].Degree - p.nodes[i].Degree })
	for _, i := range order {
		label := shortened(p.nodes[i].Label)
		width := charWidth * float64(len([]rune(label)))
		for _, own := range placesOf(p.at[i], radius(p.nodes[i]), width) {
			inside := own.corner.x >= 0 && own.corner.y >= 0 && own.corner.x+width <= pageWidth && own.corner.y+lineHeight <= p.height
			if inside && !slices.ContainsFunc(taken, own.touches) {
				taken = append(taken, own)
				fmt.Fprintf(&p.text, `<text x="%.0f" y="%.0f" text-anchor="middle">%s</text>`+"\n", own.corner.x+width/2, own.corner.y+lineHeight-4, escaped(label))
				break
			}
		}
	}
}

type rectangle struct{ corner, size point }

func (r rectangle) touches(o rectangle) bool { return overlap(r.corner, r.size, o.corner, o.size) }

// placesOf returns where the label of a concept may stand, best first.
func placesOf(at point, radius, width float64) []rectangle {
	size := point{width, lineHeight}
	return []rectangle{
		{point{at.x - width/2, at.y - radius - lineHeight}, size},
		{point{at.x - width/2, at.y + radius}, size},
		{point{at.x + radius + 3, at.y - lineHeight/2}, size},
		{point{at.x - radius - 3 - width, at.y - lineHeight/2}, size},
		{point{at.x, at.y - radius - lineHeight}, size},
		{point{at.x - width, at.y - radius - lineHeight}, size},
		{point{at.x, at.y + radius}, size},
		{point{at.x - width, at.y + radius}, size},
	}
}

func shortened(label string) string {
	short := []rune(strings.Join(strings.Fields(label), " "))
	if len(short) > longestLabel {
		short = append(short[:longestLabel-1], '…')
	}
	return string(short)
}

func radius(n questions.GraphNode) float64 { return 3 + 1.3*log2(1+n.Degree) }
