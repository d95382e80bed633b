package draw

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// palette are the colours of the most frequent types of relationship; the rest share
// the last one, and mere co-occurrence is grey.
var palette = []string{"#1f6fb4", "#d9480f", "#2b8a3e", "#8e44ad", "#b8860b", "#c2255c", "#0b7285", "#7a4a2b", "#5c7cfa", "#555"}

const coOccurrence = "#bbb"

// legend is the colour of each type, and how the types are explained.
type legend struct {
	colours map[string]string
	entries []entry
}

type entry struct {
	text     string
	colour   string
	directed bool
}

func newLegend(edges []questions.SubgraphEdge) legend {
	counts := map[string]int{}
	for _, e := range edges {
		counts[e.Type]++
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	l := legend{colours: map[string]string{}}
	last, rest := len(palette)-1, 0
	used := 0
	for _, name := range names {
		switch {
		case !directed(name):
			l.colours[name] = coOccurrence
		case used == last:
			l.colours[name] = palette[last]
			rest++
			continue
		default:
			l.colours[name] = palette[used]
			used++
		}
		l.entries = append(l.entries, entry{fmt.Sprintf("%s (%d)", shortened(name), counts[name]), l.colours[name], directed(name)})
	}
	if rest > 0 {
		l.entries = append(l.entries, entry{fmt.Sprintf("other types (%d)", rest), palette[last], true})
	}
	return l
}

// directed reports whether a type says something about which end comes first.
func directed(name string) bool { return name != vocabulary.TypeRelatedTo }

// rows returns how many rows the entries need.
func (l legend) rows() int {
	rows, x := 0, pageWidth+1.0
	for _, e := range l.entries {
		if x+e.width() > pageWidth-legendMargin {
			rows, x = rows+1, legendMargin
		}
		x += e.width()
	}
	return rows
}

func (e entry) width() float64 { return 50 + charWidth*float64(len([]rune(e.text))) }

// writeLegend writes the entries in rows at the bottom of the picture.
func (p *picture) writeLegend() {
	x, y := legendMargin, p.height+legendRow/2
	for _, e := range p.legend.entries {
		if x+e.width() > pageWidth-legendMargin && x > legendMargin {
			x, y = legendMargin, y+legendRow
		}
		fmt.Fprintf(&p.text, `<path d="M%.0f %.0fh24" stroke="%s" stroke-width="2"%s/><text x="%.0f" y="%.0f">%s</text>`+"\n",
			x, y, e.colour, p.arrow(e.colour, e.directed), x+32, y+4, escaped(e.text))
		x += e.width()
	}
}
