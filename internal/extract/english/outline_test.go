package english

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

const everyday = "# Knowledge graphs\n\nA knowledge graph holds facts. People make a knowledge graph by hand. " +
	"The deformed wing virus (DWV) is read from a knowledge graph.\n"

func TestOutline(t *testing.T) {
	o := newExtractor(t).Outline(everyday, corpus.ContentMarkdown)
	if got := o.Terms["knowledge graph"]; got != 4 {
		t.Errorf("the document has the phrase %d times, want 4: %v", got, o.Terms)
	}
	if !o.Headings["knowledge graph"] {
		t.Errorf("the headings name %v", o.Headings)
	}
	if got := o.Long["DWV"]; got != "deformed wing virus" {
		t.Errorf("DWV stands for %q", got)
	}
	again := newExtractor(t).Outline(everyday, corpus.ContentMarkdown)
	if !reflect.DeepEqual(o, again) || o.Hash == "" {
		t.Errorf("two outlines of one text differ: %+v and %+v", o, again)
	}
	if other := newExtractor(t).Outline(everyday+"A knowledge graph.", corpus.ContentMarkdown); other.Hash == o.Hash {
		t.Error("outlines that differ have one hash")
	}
}

// TestOutlineIsBounded wants a long document without repetition to give a small outline.
func TestOutlineIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 30_000 {
		b.WriteString("alpha" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + " beta" + string(rune('a'+i/26%26)) + string(rune('a'+i/676%26)) + ".\n")
	}
	o := newExtractor(t).Outline(strings.Repeat(b.String(), 3), "")
	if len(o.Terms) > mostTerms {
		t.Errorf("the outline has %d terms, want at most %d", len(o.Terms), mostTerms)
	}
}

// TestMainTermsOfADocument wants a chunk to keep the terms that its document is about,
// however everyday their words are.
func TestMainTermsOfADocument(t *testing.T) {
	e := newExtractor(t)
	chunk := "Thermophilic archaea inhabit hydrothermal vents near Iceland. Hyperthermophile metabolism consumes hydrogen sulfide. " +
		"Chemolithotrophic bacteria oxidise ferrous iron. Methanogenic archaea reduce carbon dioxide. Every week ends at home. " +
		"The halophilic archaea need salterns. Photosynthetic cyanobacteria excrete polysaccharides. DWV spreads.\n"
	labels := func(o *knowledge.Outline) []string {
		x, err := e.Extract(t.Context(), knowledge.Passage{Text: chunk, Outline: o})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, c := range x.Concepts {
			out = append(out, c.Label)
			out = append(out, c.SearchTerms...)
		}
		return out
	}
	o := e.Outline(strings.Repeat("Halophilic archaea live. ", 5)+"The deformed wing virus (DWV) is new. The week is a title.\n\n# Week\n", corpus.ContentMarkdown)
	o.Headings["home"] = true
	with, without := labels(o), labels(nil)
	for _, want := range []string{"home", "deformed wing virus"} {
		if !slices.Contains(with, want) {
			t.Errorf("with the outline %q is missing: %q", want, with)
		}
		if slices.Contains(without, want) {
			t.Errorf("without the outline there is %q: %q", want, without)
		}
	}
	if at, before := slices.Index(with, "halophilic archaea"), slices.Index(without, "halophilic archaea"); at < 0 || before >= 0 && at > before {
		t.Errorf("the repeated term is at place %d with the outline and %d without", at, before)
	}
}

func BenchmarkOutline(b *testing.B) {
	l := newExtractor(b)
	text := strings.Repeat(waggle, 12)
	words := len(strings.Fields(text))
	for b.Loop() {
		l.Outline(text, corpus.ContentMarkdown)
	}
	b.ReportMetric(float64(b.N*words)/b.Elapsed().Seconds(), "words/s")
}

// TestNarrow wants a passage read with the part of the outline that it can use to give
// what it gives with all of it, and that part to be small.
func TestNarrow(t *testing.T) {
	e := newExtractor(t)
	o := e.Outline(strings.Repeat(everyday, 3)+strings.Repeat("Sea ice melts. The ice sheet is old. ", 4), corpus.ContentMarkdown)
	p := knowledge.Passage{Text: "The DWV spreads. A knowledge graph of bees is small. Sea levels rise.", ContentType: corpus.ContentMarkdown, Outline: o}
	whole, err := e.Extract(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	part := e.Narrow(o, p)
	p.Outline = part
	narrow, err := e.Extract(t.Context(), p)
	if err != nil || !reflect.DeepEqual(whole, narrow) {
		t.Errorf("with a part of the outline %+v (%v), with all of it %+v", narrow, err, whole)
	}
	if part.Terms["knowledge graph"] != o.Terms["knowledge graph"] || part.Terms["sea ice"] != 0 || !part.Headings["knowledge graph"] || part.Long["DWV"] == "" {
		t.Errorf("the part is %+v of %+v", part, o)
	}
	more := e.Outline(strings.Repeat(everyday, 3)+strings.Repeat("Sea ice melts. The ice sheet is old. ", 9), corpus.ContentMarkdown)
	if more.Hash == o.Hash || e.Narrow(more, p).Hash != part.Hash {
		t.Error("the part has another hash when something else of the document changes")
	}
	if more := e.Outline(strings.Repeat(everyday, 4), corpus.ContentMarkdown); e.Narrow(more, p).Hash == part.Hash {
		t.Error("parts that differ have one hash")
	}
	if e.Narrow(nil, p) != nil {
		t.Error("without an outline there is a part of it")
	}
}
