package demo

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

const (
	shownConcepts = 8
	knownConcepts = 24 // the strongest ones, among which the demo searches for something to show
	quoteLength   = 90 // characters that a quote has at best
	mostQuote     = 240
)

// grid draws a grid with the demo's margin.
func (d *demo) grid(g *show.Grid) {
	var b strings.Builder
	g.Write(&b, d.width-2, d.paint, nil)
	for line := range strings.Lines(b.String()) {
		fmt.Fprint(d.out, "  "+line)
	}
}

// built says what the jobs have made.
func (d *demo) built(ctx context.Context) error {
	d.announce("What was built")
	stats, err := d.client.Graph.Stats(ctx)
	if err != nil {
		return fmt.Errorf("read the statistics: %w", err)
	}
	n := stats.Nodes
	d.say("  %s → %s → %s and %s, from %s", show.Counted(n.Documents, "document"), show.Counted(n.Sources, "chunk"),
		show.Counted(n.Concepts, "concept"), show.Counted(stats.Relationships.Total, "relationship"), show.Counted(n.Instances, "quote"))
	words, wall := d.wall()
	if wall > 0 {
		d.say("  in %s from the first approval to the last word: %s words a second", show.Span(wall), show.Number(int(float64(words)/wall.Seconds())))
	}
	var types []string
	for _, t := range stats.Relationships.ByType {
		types = append(types, fmt.Sprintf("%s %s", show.OneLine(t.Type), show.Number(t.Count)))
	}
	if len(types) > 0 {
		d.say("%s", show.Wrap("Relationships: "+strings.Join(types, ", "), d.width, "  ", "    "))
	}
	return nil
}

// wall returns how many words were read, and in what time.
func (d *demo) wall() (words int, took time.Duration) {
	var first, last time.Time
	for _, doc := range d.documents {
		if doc.job.Analysis != nil {
			words += doc.job.Analysis.FileStats.WordCount
		}
		if at := doc.job.ApprovedAt; at != nil && (first.IsZero() || at.Before(first)) {
			first = at.Time
		}
		if at := doc.job.CompletedAt; at != nil && at.After(last) {
			last = at.Time
		}
	}
	if first.IsZero() || last.IsZero() {
		return words, 0
	}
	return words, last.Sub(first)
}

// concepts shows the strongest concepts, each with a quote.
func (d *demo) concepts(ctx context.Context) error {
	d.announce("The strongest concepts, each with a quote and where it stands")
	list, err := d.client.Concepts.List(ctx, questions.ConceptFilter{Ontology: ontology, Limit: shownConcepts})
	if err != nil {
		return fmt.Errorf("list the strongest concepts: %w", err)
	}
	if len(list.Concepts) == 0 {
		d.say("  The documents gave no concepts.")
	}
	used := map[string]bool{}
	for i, hit := range list.Concepts {
		concept, err := d.client.Concepts.Get(ctx, hit.ConceptID)
		if err != nil {
			return fmt.Errorf("read the concept %s: %w", hit.ConceptID, err)
		}
		d.say("  %2d. %s  %s", i+1, d.paint.Bold(show.OneLine(hit.Label)), d.paint.Dim(show.Counted(hit.EvidenceCount, "quote")))
		if e, where, ok := d.bestQuote(concept, used); ok {
			used[e.Quote] = true
			d.say("%s", show.Wrap("“"+show.Cut(show.OneLine(e.Quote), mostQuote)+"”", d.width, "      ", "       "))
			d.say("       %s", d.paint.Dim(where))
		}
	}
	if rest := list.Total - len(list.Concepts); rest > 0 {
		d.say("  and %s more", show.Number(rest))
	}
	return nil
}

// bestQuote returns the quote that shows a concept best, rather one that was not
// used before, and where it stands.
func (d *demo) bestQuote(c questions.ConceptDetails, used map[string]bool) (e knowledge.Evidence, where string, ok bool) {
	if len(c.Instances) == 0 {
		return e, "", false
	}
	badness := func(e knowledge.Evidence) int {
		if used[e.Quote] {
			return clumsiness(e.Quote, c.Label) + 1000
		}
		return clumsiness(e.Quote, c.Label)
	}
	e = slices.MinFunc(c.Instances, func(a, b knowledge.Evidence) int { return cmp.Compare(badness(a), badness(b)) })
	for _, doc := range d.documents {
		if where, found := doc.place(e); found {
			return e, where, true
		}
	}
	return e, show.Place(e), true
}

// clumsiness says how badly a quote shows a concept: it should be a sentence of
// a line or two that has the concept's own words, and not a piece of a table.
func clumsiness(quote, label string) int {
	n := max(len(quote)-quoteLength, quoteLength-len(quote))
	if !strings.Contains(strings.ToLower(quote), strings.ToLower(label)) {
		n += 200
	}
	if strings.ContainsAny(quote, "|\n#") || strings.Contains(quote, "```") {
		n += 300
	}
	if !strings.HasSuffix(strings.TrimSpace(quote), ".") {
		n += 60
	}
	return n
}
