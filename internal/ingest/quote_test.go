package ingest

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/corpus"
)

func TestLocate(t *testing.T) {
	text := "Particles of art.\r\nÄpfel\u00a0 und  Birnen, 水在沸腾; State of the\nArt."
	tests := map[string]struct {
		quote string
		span  corpus.Span
		want  string // "": not found
	}{
		"where the span says":           {"art", corpus.Span{Start: 1, End: 4}, "art"},
		"letter by letter":              {"of art.", corpus.Span{}, "of art."},
		"a span that is wrong":          {"of art.", corpus.Span{Start: 3, End: 10}, "of art."},
		"a span outside the text":       {"of art.", corpus.Span{Start: -1, End: 1000}, "of art."},
		"a whole word, not a part":      {"State of", corpus.Span{}, "State of"},
		"no part of a word":             {"article", corpus.Span{}, ""},
		"no end of a word":              {"les of", corpus.Span{}, ""},
		"no start of a word":            {"of ar", corpus.Span{}, ""},
		"other white space":             {"Äpfel und Birnen,", corpus.Span{}, "Äpfel\u00a0 und  Birnen,"},
		"other case":                    {"state OF the art", corpus.Span{}, "State of the\nArt"},
		"white space around":            {" \n水在沸腾 ", corpus.Span{}, "水在沸腾"},
		"a part of unspaced words":      {"沸腾", corpus.Span{}, "沸腾"},
		"words that are not there":      {"pears", corpus.Span{}, ""},
		"nothing":                       {"", corpus.Span{Start: 2, End: 2}, ""},
		"white space only":              {" \n", corpus.Span{}, ""},
		"NUL bytes and invalid UTF-8":   {"of\x00art\xff", corpus.Span{}, ""},
		"the text and more than it has": {text + "!", corpus.Span{}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := locator{text: text}
			span, found := l.at(tt.span, tt.quote)
			if found != (tt.want != "") || text[span.Start:span.End] != tt.want {
				t.Errorf("found %t: %q, want %q", found, text[span.Start:span.End], tt.want)
			}
		})
	}
	t.Run("a span that is right is not searched", func(t *testing.T) {
		l := locator{text: "art and art"}
		if span, _ := l.at(corpus.Span{Start: 8, End: 11}, "art"); span.Start != 8 {
			t.Errorf("found at %d, want 8", span.Start)
		}
	})
	t.Run("a long quote is cut between characters", func(t *testing.T) {
		long := strings.Repeat("水", maxQuoteBytes)
		l := locator{text: long}
		span, found := l.at(corpus.Span{}, long)
		if size := span.End - span.Start; !found || size > maxQuoteBytes || size < maxQuoteBytes-3 || !utf8.ValidString(long[:span.End]) {
			t.Errorf("found %t: %v", found, span)
		}
	})
}

func TestLocateAnyQuote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"alpha", "Beta", "γάμμα", "水在", "x.", "(y)"})
		space := rapid.SampledFrom([]string{" ", "\n", "\t ", "\u3000"})
		var text, quote strings.Builder
		n := rapid.IntRange(1, 12).Draw(t, "words")
		first := rapid.IntRange(0, n-1).Draw(t, "first")
		last := rapid.IntRange(first, n-1).Draw(t, "last")
		for i := range n {
			w := word.Draw(t, "word")
			text.WriteString(w + space.Draw(t, "space"))
			if first <= i && i <= last {
				quote.WriteString(strings.Replace(w, "a", "A", 1) + space.Draw(t, "space"))
			}
		}
		l := locator{text: text.String()}
		span, found := l.at(corpus.Span{}, quote.String())
		want, _ := fold(strings.TrimSpace(quote.String()))
		got, _ := fold(l.text[span.Start:span.End])
		if !found || got != want {
			t.Errorf("%q in %q: found %t, %q", quote.String(), l.text, found, got)
		}
	})
}
