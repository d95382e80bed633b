package cli

import (
	"fmt"
	"strings"

	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// The most that show writes of a concept.
const (
	mostQuotes        = 10
	mostRelationships = 20
)

// writeHits draws what a search found.
func (a *App) writeHits(found questions.SearchResult, m questions.Measures) {
	if len(found.Results) == 0 {
		a.note("No concept is that similar to %q.", show.OneLine(found.Query))
	} else {
		a.writeHitGrid(found.Results, m.Diversity)
	}
	if len(found.Passages) > 0 {
		a.note("It stands in these texts:")
	}
	for _, p := range found.Passages {
		fmt.Fprintln(a.out, show.Wrap("“"+show.OneLine(p.Matched.Text)+"”", a.Out().Width(), "  ", "   "))
		fmt.Fprintf(a.out, "    %s\n", a.paint(a.out).Dim(fmt.Sprintf("%s, chunk %d (%s)", show.OneLine(p.Filename), p.Paragraph, show.OneLine(p.Document))))
	}
	for _, hit := range found.Results {
		if len(hit.Sample) == 0 {
			continue
		}
		fmt.Fprintf(a.out, "\n%s\n", a.paint(a.out).Bold(show.OneLine(hit.Label)))
		for _, e := range hit.Sample {
			a.writeQuote(e)
		}
	}
	if hint := nearMisses(found, found.Query); hint != "" {
		a.note("%s", hint)
	}
}

// writeHitGrid draws concepts that a search found, with their diversity if that was
// measured.
func (a *App) writeHitGrid(hits []questions.ConceptHit, diversity bool) {
	columns := []show.Column{{Name: "score", Right: true}, {Name: "concept", Flex: true}, {Name: "quotes", Right: true}}
	if diversity {
		columns = append(columns, show.Column{Name: "diversity", Right: true}, show.Column{Name: "around", Right: true})
	}
	g := show.NewGrid(append(columns, show.Column{Name: "id"})...)
	for _, hit := range hits {
		cells := []string{fmt.Sprintf("%.2f", hit.Score), hit.Label, show.Number(hit.EvidenceCount)}
		if diversity {
			around := "–"
			if hit.Related != nil {
				around = show.Number(*hit.Related)
			}
			cells = append(cells, figure(hit.Diversity), around)
		}
		g.Add(append(cells, hit.ConceptID)...)
	}
	a.writeGrid(g, nil)
}

// writeQuote writes a quote and where it stands.
func (a *App) writeQuote(e knowledge.Evidence) {
	p := a.paint(a.out)
	fmt.Fprintln(a.out, show.Wrap("“"+show.OneLine(e.Quote)+"”", a.Out().Width(), "  ", "   "))
	fmt.Fprintf(a.out, "    %s\n", p.Dim(show.Place(e)))
}

// writeConcept shows one concept.
func (a *App) writeConcept(c questions.ConceptDetails) {
	p := a.paint(a.out)
	fmt.Fprintf(a.out, "%s  %s\n", p.Bold(show.OneLine(c.Label)), p.Dim(c.ConceptID))
	if d := show.OneLine(orEmpty(c.Description)); d != "" {
		fmt.Fprintln(a.out, show.Wrap(d, a.Out().Width(), "", ""))
	}
	if len(c.SearchTerms) > 0 {
		fmt.Fprintln(a.out, show.Wrap(show.OneLine(strings.Join(c.SearchTerms, ", ")), a.Out().Width(), "also: ", "      "))
	}
	fmt.Fprintf(a.out, "in:   %s\n", show.OneLine(strings.Join(c.Documents, ", ")))
	if line := measured(c.Grounding); line != "" {
		fmt.Fprintln(a.out, show.Wrap(line, a.Out().Width(), "is:   ", "      "))
	}
	if len(c.Relationships) > 0 {
		fmt.Fprintf(a.out, "\n%s\n", p.Bold("Relationships"))
		for i, r := range c.Relationships {
			if i == mostRelationships {
				fmt.Fprintf(a.out, "  and %d more\n", len(c.Relationships)-i)
				break
			}
			fmt.Fprintf(a.out, "  %s %s  %s\n", show.Arrow(r.Type, true), show.OneLine(r.ToLabel), p.Dim(r.ToID))
			a.writeStatements(r.Evidence, "      ")
		}
	}
	if len(c.Instances) > 0 {
		fmt.Fprintf(a.out, "\n%s\n", p.Bold("Quotes"))
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
func (a *App) writeRelated(found questions.RelatedResult, label string) {
	if len(found.Results) == 0 {
		a.note("Nothing is related to %s within %d relationships.", found.ConceptID, found.MaxDepth)
		a.noteMissing(found.Completeness)
		return
	}
	if found.Results[0].Via.Evidence != nil {
		a.writeRelatedStatements(found, label)
	} else {
		g := show.NewGrid(show.Column{Name: "away", Right: true}, show.Column{Name: "concept", Flex: true}, show.Column{Name: "over"}, show.Column{Name: "id"})
		for _, r := range found.Results {
			g.Add(fmt.Sprint(r.Distance), r.Label, strings.Join(r.PathTypes, " "), r.ConceptID)
		}
		a.writeGrid(g, nil)
	}
	if next := found.Offset + found.Count; next < found.Total {
		a.note("%d to %d of %d; go on with --offset %d.", found.Offset+1, next, found.Total, next)
	}
	a.noteStatistics(found.Statistics)
	a.noteMissing(found.Completeness)
}

// writeRelatedStatements shows each concept of a neighbourhood with the relationship that
// leads to it, and the sentences that state that.
func (a *App) writeRelatedStatements(found questions.RelatedResult, label string) {
	labels := map[string]string{found.ConceptID: label}
	for _, r := range found.Results {
		labels[r.ConceptID] = r.Label
	}
	for i, r := range found.Results {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		arrow := show.Arrow(r.PathTypes[len(r.PathTypes)-1], r.Via.Forward)
		from, known := labels[r.Via.ConceptID]
		if !known { // it is on another page
			from = r.Via.ConceptID
		}
		a.writeRelationship(from, arrow, r.Label, fmt.Sprintf("%d away, %s", r.Distance, r.ConceptID))
		a.writeStatements(r.Via.Evidence, "  ")
	}
}

// writePaths draws paths between two concepts.
func (a *App) writePaths(found questions.ConnectResult) {
	if len(found.Paths) == 0 {
		a.note("No path of at most %d relationships joins %s and %s.", found.MaxHops, found.FromID, found.ToID)
	}
	for i, path := range found.Paths {
		if i > 0 && path.Evidence != nil {
			fmt.Fprintln(a.out)
		}
		fmt.Fprintln(a.out, show.Wrap(show.Path(path), a.Out().Width(), "", "  "))
		for n, list := range path.Evidence {
			if len(path.Evidence) > 1 {
				fmt.Fprintln(a.out, a.paint(a.out).Dim(show.Wrap(show.Step(path, n), a.Out().Width(), "  ", "    ")))
			}
			a.writeStatements(list, "    ")
		}
	}
	a.notePage(found.ShownPaths, found.Count)
	a.noteStatistics(found.Statistics)
	a.noteMissing(found.Completeness)
}
