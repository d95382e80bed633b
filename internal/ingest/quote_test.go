package ingest

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
)

func TestLocate(t *testing.T) {
	text := "Particles of art.\r\nÄpfel\u00a0 und  Birnen, 水在沸腾; State of the\nArt."
	tests := map[string]struct {
		quote string
		span  kappa.Span
		want  string // "": not found
	}{
		"where the span says":           {"art", kappa.Span{Start: 1, End: 4}, "art"},
		"letter by letter":              {"of art.", kappa.Span{}, "of art."},
		"a span that is wrong":          {"of art.", kappa.Span{Start: 3, End: 10}, "of art."},
		"a span outside the text":       {"of art.", kappa.Span{Start: -1, End: 1000}, "of art."},
		"a whole word, not a part":      {"State of", kappa.Span{}, "State of"},
		"no part of a word":             {"article", kappa.Span{}, ""},
		"no end of a word":              {"les of", kappa.Span{}, ""},
		"no start of a word":            {"of ar", kappa.Span{}, ""},
		"other white space":             {"Äpfel und Birnen,", kappa.Span{}, "Äpfel\u00a0 und  Birnen,"},
		"other case":                    {"state OF the art", kappa.Span{}, "State of the\nArt"},
		"white space around":            {" \n水在沸腾 ", kappa.Span{}, "水在沸腾"},
		"a part of unspaced words":      {"沸腾", kappa.Span{}, "沸腾"},
		"words that are not there":      {"pears", kappa.Span{}, ""},
		"nothing":                       {"", kappa.Span{Start: 2, End: 2}, ""},
		"white space only":              {" \n", kappa.Span{}, ""},
		"NUL bytes and invalid UTF-8":   {"of\x00art\xff", kappa.Span{}, ""},
		"the text and more than it has": {text + "!", kappa.Span{}, ""},
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
		if span, _ := l.at(kappa.Span{Start: 8, End: 11}, "art"); span.Start != 8 {
			t.Errorf("found at %d, want 8", span.Start)
		}
	})
	t.Run("a long quote is cut between characters", func(t *testing.T) {
		long := strings.Repeat("水", maxQuoteBytes)
		l := locator{text: long}
		span, found := l.at(kappa.Span{}, long)
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
		span, found := l.at(kappa.Span{}, quote.String())
		want, _ := fold(strings.TrimSpace(quote.String()))
		got, _ := fold(l.text[span.Start:span.End])
		if !found || got != want {
			t.Errorf("%q in %q: found %t, %q", quote.String(), l.text, found, got)
		}
	})
}
