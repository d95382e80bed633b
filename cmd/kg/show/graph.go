package show

import (
	"fmt"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// Path draws a path as A —TYPE→ B ←TYPE— C. Each arrow is one word, so that
// wrapping leaves it whole.
func Path(p questions.Path) string {
	var b strings.Builder
	for i, node := range p.Nodes {
		if i > 0 {
			forward := i-1 >= len(p.Forward) || p.Forward[i-1]
			b.WriteString(" " + Arrow(p.Relationships[i-1], forward) + " ")
		}
		b.WriteString(OneLine(node.Label))
	}
	return b.String()
}

// Step draws the nth relationship of a path, from 0, with its ends.
func Step(p questions.Path, n int) string {
	forward := n >= len(p.Forward) || p.Forward[n]
	return OneLine(p.Nodes[n].Label) + " " + Arrow(p.Relationships[n], forward) + " " + OneLine(p.Nodes[n+1].Label)
}

// Arrow draws a relationship between what stands left and right of it. The one
// that only says that two concepts stand together points nowhere.
func Arrow(kind string, forward bool) string {
	switch kind = OneLine(kind); {
	case kind == vocabulary.TypeRelatedTo:
		return "—" + kind + "—"
	case forward:
		return "—" + kind + "→"
	}
	return "←" + kind + "—"
}

// Place says where a quote stands: document, page and section or else the chunk, and
// bytes of the text.
func Place(e knowledge.Evidence) string {
	document := OneLine(e.Document)
	if e.Filename != nil && OneLine(*e.Filename) != "" {
		document = OneLine(*e.Filename)
	}
	place := OneLine(e.Place())
	if place == "" {
		place = fmt.Sprintf("chunk %d", e.Paragraph)
	}
	return fmt.Sprintf("%s, %s, bytes %d–%d", document, place, e.Start, e.End)
}

// Price shows an estimate.
func Price(cost corpus.CostEstimate) string {
	low, high := kappa.Dollars(cost.Total.CostLow), kappa.Dollars(cost.Total.CostHigh)
	switch {
	case cost.Total.CostHigh > 0 && low == high:
		return low
	case cost.Total.CostHigh > 0:
		return low + "–" + high
	}
	return "free"
}
