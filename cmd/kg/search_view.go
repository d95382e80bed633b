package main

import (
	"fmt"
	"strings"

	"github.com/kappagraph/kappa"
)

// The most that show writes of a concept.
const (
	mostQuotes        = 10
	mostRelationships = 20
	defaultWidth      = 80 // of prose that goes to no terminal
)

// width returns the columns for prose.
func (a *app) width() int {
	columns, _ := a.size(a.out)
	if columns <= 0 {
		return defaultWidth
	}
	return min(columns, 100)
}

// writeHits draws what a search found.
func (a *app) writeHits(found kappa.SearchResult) {
	if len(found.Results) == 0 {
		a.note("No concept is that similar to %q.", oneLine(found.Query))
	} else {
		g := newGrid(column{name: "score", right: true}, column{name: "concept", flex: true}, column{name: "quotes", right: true}, column{name: "id"})
		for _, hit := range found.Results {
			g.add(fmt.Sprintf("%.2f", hit.Score), hit.Label, number(hit.EvidenceCount), hit.ConceptID)
		}
		a.writeGrid(g, nil)
	}
	for _, hit := range found.Results {
		if len(hit.Sample) == 0 {
			continue
		}
		fmt.Fprintf(a.out, "\n%s\n", a.paint(a.out).bold(oneLine(hit.Label)))
		for _, e := range hit.Sample {
			a.writeQuote(e)
		}
	}
	if hint := nearMisses(found, found.Query); hint != "" {
		a.note("%s", hint)
	}
}

// writeQuote writes a quote and where it stands.
func (a *app) writeQuote(e kappa.Evidence) {
	p := a.paint(a.out)
	fmt.Fprintln(a.out, wrap("“"+oneLine(e.Quote)+"”", a.width(), "  ", "   "))
	fmt.Fprintf(a.out, "    %s\n", p.dim(place(e)))
}

// place says where a quote stands: document and chunk.
func place(e kappa.Evidence) string {
	document := oneLine(orEmpty(e.Filename))
	if document == "" {
		document = oneLine(e.Document)
	}
	return fmt.Sprintf("%s, chunk %d, bytes %d–%d", document, e.Paragraph, e.Start, e.End)
}

// writeConcept shows one concept.
func (a *app) writeConcept(c kappa.ConceptDetails) {
	p := a.paint(a.out)
	fmt.Fprintf(a.out, "%s  %s\n", p.bold(oneLine(c.Label)), p.dim(c.ConceptID))
	if d := oneLine(orEmpty(c.Description)); d != "" {
		fmt.Fprintln(a.out, wrap(d, a.width(), "", ""))
	}
	if len(c.SearchTerms) > 0 {
		fmt.Fprintln(a.out, wrap(oneLine(strings.Join(c.SearchTerms, ", ")), a.width(), "also: ", "      "))
	}
	fmt.Fprintf(a.out, "in:   %s\n", oneLine(strings.Join(c.Documents, ", ")))
	if len(c.Relationships) > 0 {
		fmt.Fprintf(a.out, "\n%s\n", p.bold("Relationships"))
		for i, r := range c.Relationships {
			if i == mostRelationships {
				fmt.Fprintf(a.out, "  and %d more\n", len(c.Relationships)-i)
				break
			}
			fmt.Fprintf(a.out, "  %s %s  %s\n", arrow(r.Type, true), oneLine(r.ToLabel), p.dim(r.ToID))
		}
	}
	if len(c.Instances) > 0 {
		fmt.Fprintf(a.out, "\n%s\n", p.bold("Quotes"))
		for i, e := range c.Instances {
			if i == mostQuotes {
				fmt.Fprintf(a.out, "  and %d more\n", len(c.Instances)-i)
				break
			}
			a.writeQuote(e)
		}
	}
}

// writeRelated draws a neighbourhood.
func (a *app) writeRelated(found kappa.RelatedResult) {
	if len(found.Results) == 0 {
		a.note("Nothing is related to %s within %d relationships.", found.ConceptID, found.MaxDepth)
		return
	}
	g := newGrid(column{name: "away", right: true}, column{name: "concept", flex: true}, column{name: "over"}, column{name: "id"})
	for _, r := range found.Results {
		g.add(fmt.Sprint(r.Distance), r.Label, strings.Join(r.PathTypes, " "), r.ConceptID)
	}
	a.writeGrid(g, nil)
	if found.Truncated {
		a.note("There are more; a smaller --depth or --type narrows it down.")
	}
}

// writePaths draws paths between two concepts.
func (a *app) writePaths(found kappa.ConnectResult) {
	if len(found.Paths) == 0 {
		a.note("No path of at most %d relationships joins %s and %s.", found.MaxHops, found.FromID, found.ToID)
	}
	for _, path := range found.Paths {
		fmt.Fprintln(a.out, wrap(drawPath(path), a.width(), "", "  "))
	}
	if found.Truncated {
		a.note("The search was cut at its limit of concepts; there may be more paths.")
	}
}

// drawPath draws a path as A —TYPE→ B ←TYPE— C. Each arrow is one word, so that
// wrapping leaves it whole.
func drawPath(p kappa.Path) string {
	var b strings.Builder
	for i, node := range p.Nodes {
		if i > 0 {
			forward := i-1 >= len(p.Forward) || p.Forward[i-1]
			b.WriteString(" " + arrow(p.Relationships[i-1], forward) + " ")
		}
		b.WriteString(oneLine(node.Label))
	}
	return b.String()
}

// arrow draws a relationship between what stands left and right of it. The one
// that only says that two concepts stand together points nowhere.
func arrow(kind string, forward bool) string {
	switch kind = oneLine(kind); {
	case kind == kappa.TypeRelatedTo:
		return "—" + kind + "—"
	case forward:
		return "—" + kind + "→"
	}
	return "←" + kind + "—"
}
