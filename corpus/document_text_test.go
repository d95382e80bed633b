package corpus_test

import (
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

// TestMainText blanks what stands around the main text, so that the rest stands where it stood.
func TestMainText(t *testing.T) {
	d := corpus.DocumentText{Text: "Home\nNews\nIt melts.\nImprint", Places: []corpus.Place{
		{Section: corpus.SectionNavigation}, {Start: 10, Section: "Ice"}, {Start: 20, Section: corpus.SectionNotice},
	}}
	for _, c := range []struct {
		start, end int
		want       string
	}{{0, len(d.Text), "    \n    \nIt melts.\n       "}, {12, 19, " melts."}, {2, 8, "  \n   "}, {19, 22, "\n  "}} {
		chunk := corpus.Chunk{Text: d.Text[c.start:c.end], Bytes: corpus.Span{Start: c.start, End: c.end}}
		if got := d.MainText(chunk); got != c.want {
			t.Errorf("%d to %d: got %q, want %q", c.start, c.end, got, c.want)
		}
	}
}
