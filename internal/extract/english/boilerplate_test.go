package english

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// TestBoilerplate wants nothing of the headers of pages and of signatures, where a document
// repeats them, and all of lines that are not such.
func TestBoilerplate(t *testing.T) {
	e := newExtractor(t)
	facts := []string{
		"The glacier feeds the Rhone river.", "A moraine is a ridge of debris.", "Meltwater carries sediment into the fjord.",
		"The ice sheet covers Greenland.", "Crevasses form above steep bedrock.", "Snow becomes firn within two years.",
	}
	pages := func(header string) string {
		var b strings.Builder
		for i, fact := range facts {
			if strings.Contains(header, "%d") {
				fmt.Fprintf(&b, header, i+1)
			} else {
				b.WriteString(header)
			}
			b.WriteString("\n\n" + fact + "\nIt was measured in the field by hand, and the measures are kept in a list that is given below in full.\nThe list is long.\nIt is sorted.\n\n")
		}
		return b.String()
	}
	for name, tt := range map[string]struct {
		text  string
		label string // of a concept, in lower case
		found bool
	}{
		"a header":                      {pages("Zermatt Mountain Institute"), "zermatt mountain institute", false},
		"a header with a page's number": {pages("Zermatt Mountain Institute, page %d"), "zermatt mountain institute", false},
		"a header above its text":       {strings.ReplaceAll(pages("Zermatt Mountain Institute"), "Institute\n\n", "Institute\n"), "zermatt mountain institute", false},
		"lines of a signature":          {pages("Kind regards\nMatthias Grossglockner\nZermatt Mountain Institute"), "matthias grossglockner", false},
		"what stands twice":             {"Zermatt Mountain Institute\n\n" + facts[0] + "\n\nZermatt Mountain Institute\n\n" + facts[1], "zermatt mountain institute", true},
		"a sentence":                    {pages("The Zermatt Mountain Institute measures glaciers."), "zermatt mountain institute", true},
		"most of the document":          {strings.Repeat("Zermatt Mountain Institute\n\n", 20) + facts[0], "zermatt mountain institute", true},
		"the text between":              {pages("Zermatt Mountain Institute"), "moraine", true},
	} {
		for _, ct := range []corpus.ContentType{corpus.ContentPlain, corpus.ContentMarkdown} {
			whole := knowledge.Passage{Text: tt.text, ContentType: ct}
			whole.Outline = e.Outline(whole.Text, ct)
			narrow := whole
			narrow.Outline = e.Narrow(whole.Outline, whole)
			for _, p := range []knowledge.Passage{whole, narrow} {
				x, err := e.Extract(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				got := slices.ContainsFunc(x.Concepts, func(c knowledge.ExtractedConcept) bool { return strings.Contains(strings.ToLower(c.Label), tt.label) })
				if got != tt.found {
					t.Errorf("%s (%s): %q is found: %v; the boilerplate is %v", name, ct, tt.label, got, p.Outline.Boilerplate)
				}
			}
		}
	}
}

// TestSignatures wants nothing of what stands below the line that RFC 3676 sets before a
// signature, up to the next paragraph.
func TestSignatures(t *testing.T) {
	e := newExtractor(t)
	for text, want := range map[string]bool{
		"The glacier melts.\n\n-- \nMatthias Grossglockner\nZermatt Mountain Institute\n": false,
		"The glacier melts.\n\n-- \r\nMatthias Grossglockner\r\n":                         false,
		"The glacier melts.\n\n--\nMatthias Grossglockner measures it.\n":                 true,
		"-- \nKind regards\n\nMatthias Grossglockner measures the glacier.\n":             true,
	} {
		x := extractFrom(t, e, text, corpus.ContentPlain)
		got := slices.ContainsFunc(x.Concepts, func(c knowledge.ExtractedConcept) bool { return c.Label == "Matthias Grossglockner" })
		if got != want {
			t.Errorf("%q: the name is found: %v", text, got)
		}
	}
}
