package english

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/knowledge"
)

// extractFrom extracts from text and checks the laws.
func extractFrom(tb testing.TB, l *Extractor, text string, ct corpus.ContentType) knowledge.Extraction {
	tb.Helper()
	e, err := l.Extract(context.Background(), knowledge.Passage{Text: text, ContentType: ct})
	if err != nil {
		tb.Fatal(err)
	}
	checkLaws(tb, text, e)
	return e
}

// checkLaws checks what the package promises of every extraction.
func checkLaws(tb testing.TB, text string, e knowledge.Extraction) {
	tb.Helper()
	keys := map[string]int{}
	for _, c := range e.Concepts {
		if _, twice := keys[c.Key]; twice || c.Key == "" {
			tb.Errorf("key %q is empty or taken twice", c.Key)
		}
		keys[c.Key] = 0
		if strings.TrimSpace(c.Label) == "" || !utf8.ValidString(c.Label) || c.Weight <= 0 {
			tb.Errorf("concept %q has label %q and weight %g", c.Key, c.Label, c.Weight)
		}
	}
	quotes := map[string]bool{}
	for _, i := range e.Instances {
		n, ok := keys[i.Concept]
		if !ok {
			tb.Errorf("an instance names the unknown key %q", i.Concept)
		}
		keys[i.Concept] = n + 1
		checkQuote(tb, text, i.Quote, i.Span)
		if id := i.Concept + "\x00" + i.Quote; quotes[id] {
			tb.Errorf("concept %q repeats the quote %q", i.Concept, i.Quote)
		} else {
			quotes[id] = true
		}
	}
	for key, n := range keys {
		if n < 1 || n > maxInstances {
			tb.Errorf("concept %q has %d instances, want 1 to %d", key, n, maxInstances)
		}
	}
	for _, r := range e.Relationships {
		_, from := keys[r.From]
		_, to := keys[r.To]
		if !from || !to || r.From == r.To || r.Type == "" || r.Confidence <= 0 || r.Confidence > 1 {
			tb.Errorf("relationship %+v is not between two concepts", r)
		}
		if r.Quote != "" {
			checkQuote(tb, text, r.Quote, r.Span)
		}
	}
}

// checkQuote checks that a quote is the text at its span.
func checkQuote(tb testing.TB, text, quote string, s corpus.Span) {
	tb.Helper()
	switch {
	case s.Start < 0 || s.Start >= s.End || s.End > len(text):
		tb.Errorf("span %+v is not inside a text of %d bytes", s, len(text))
	case text[s.Start:s.End] != quote:
		tb.Errorf("quote %q is not the text at %+v: %q", quote, s, text[s.Start:s.End])
	case !utf8.ValidString(quote):
		tb.Errorf("quote %q is not valid UTF-8", quote)
	case len(quote) > maxQuoteBytes:
		tb.Errorf("quote of %d bytes, want at most %d", len(quote), maxQuoteBytes)
	}
}

const waggle = `# The waggle dance

Honeybees (*Apis mellifera*) live in **colonies**. A forager performs a waggle dance, and the waggle dance shows other
foragers where food is. Karl von Frisch decoded the dance; von Frisch worked in Munich. Varroa mites transmit deformed
wing virus (DWV). DWV causes crippled wings. See [the survey](https://example.org/bees?x=1) and ` + "`bee_count`" + `.

| Caste | Task |
|---|---|
| drone | mates with the queen |
`

func TestExtract(t *testing.T) {
	l := newExtractor(t)
	e := extractFrom(t, l, waggle, corpus.ContentMarkdown)
	labels := map[string]knowledge.ExtractedConcept{}
	for _, c := range e.Concepts {
		labels[c.Label] = c
	}
	for _, want := range []string{"waggle dance", "forager", "Karl von Frisch", "deformed wing virus", "Varroa mite", "bee_count"} {
		if _, ok := labels[want]; !ok {
			t.Errorf("no concept %q in %v", want, e.Concepts)
		}
	}
	t.Run("an abbreviation is a search term of its long form", func(t *testing.T) {
		if got := labels["deformed wing virus"].SearchTerms; !slices.Contains(got, "DWV") {
			t.Errorf("search terms %q, want DWV among them", got)
		}
	})
	t.Run("a quote is the whole sentence", func(t *testing.T) {
		want := "DWV causes crippled wings."
		found := slices.ContainsFunc(e.Instances, func(i knowledge.ExtractedInstance) bool { return i.Quote == want })
		if !found {
			t.Errorf("no quote %q in %v", want, e.Instances)
		}
	})
	t.Run("links, code and markup leave no trace in labels", func(t *testing.T) {
		for label := range labels {
			if strings.ContainsAny(label, "*`[]()|") || strings.Contains(label, "http") || strings.Contains(label, "example") {
				t.Errorf("label %q has markup", label)
			}
		}
	})
	t.Run("the first cell of a row is described by the second", func(t *testing.T) {
		if got := labels["drone"].Description; got != "mates with the queen" {
			t.Errorf("description %q", got)
		}
	})
}

func TestExtractIsDeterministic(t *testing.T) {
	l := newExtractor(t)
	want := extractFrom(t, l, waggle, corpus.ContentMarkdown)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				got, err := l.Extract(t.Context(), knowledge.Passage{Text: waggle, ContentType: corpus.ContentMarkdown})
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("got %v and %v, want %v", got, err, want)
				}
			}
		})
	}
	wg.Wait()
	other, err := New()
	if err != nil {
		t.Fatal(err)
	}
	if got := extractFrom(t, other, waggle, corpus.ContentMarkdown); !reflect.DeepEqual(got, want) {
		t.Errorf("another extractor finds %v, want %v", got, want)
	}
}

func TestExtractStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newExtractor(t).Extract(ctx, knowledge.Passage{Text: waggle})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

func TestExtractOfAnything(t *testing.T) { extractAnything(t, 20) }

// TestExtractOfAnything_Slow has texts twenty times as long.
func TestExtractOfAnything_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	extractAnything(t, 1)
}

// extractAnything reads texts of which each is the given part of its full length.
func extractAnything(t *testing.T, part int) {
	l := newExtractor(t)
	repeat := func(s string, n int) string { return strings.Repeat(s, max(1, n/part)) }
	for name, text := range map[string]string{
		"nothing":               "",
		"white space":           " \n\t \r\n",
		"one huge word":         repeat("a", 1<<20),
		"one huge line":         repeat("the lane claims a job from the queue ", 800),
		"no punctuation":        repeat("worker lane claim token lease heartbeat ", 500),
		"numbers":               repeat("1234 5.6 7,8 2024-01-01 ", 3000),
		"emoji":                 repeat("🙂👍🏽🇳🇴", 5000),
		"code":                  repeat("func f(x int) { return x + 1 }\n", 200),
		"Chinese":               repeat("知识图谱将文档变成概念和关系。", 1000),
		"invalid UTF-8":         repeat("lane \xff\xfe queue \xc3( claims a token. ", 500),
		"NUL bytes":             repeat("lane\x00queue claims\x00 ", 500),
		"open brackets":         repeat("[", 100000),
		"open quotes":           repeat("> ", 30000) + "text",
		"nested quotes":         repeat(strings.Repeat("> ", 20)+"lane\n", 1000),
		"nested lists":          repeat("- ", 30000) + "text",
		"emphasis":              repeat("*_*_", 30000),
		"backticks":             repeat("`", 99999) + "x",
		"backtick runs":         repeat("` `` ``` ", 10000),
		"links":                 repeat("[a](b", 8000),
		"wide table":            "|" + repeat("a|", 5000) + "\n|" + repeat("-|", 5000) + "\n" + repeat("|a\n", 5000),
		"headings":              repeat("# Lane\n", 10000),
		"fences":                repeat("```\n", 9999),
		"html":                  repeat("<b>", 20000),
		"entities":              repeat("&amp;", 20000),
		"combining marks":       "a" + repeat("\u0301", 20000),
		"hyphens":               repeat("a-", 50000),
		"dots":                  repeat("a.", 50000),
		"parentheses":           repeat("(", 50000),
		"many names":            repeat("Ada Lovelace met Charles Babbage in London. ", 800),
		"deep indentation":      deepList(300),
		"reference definitions": repeat("[a]: /b\n", 10000),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			for _, ct := range []corpus.ContentType{corpus.ContentPlain, corpus.ContentMarkdown} {
				extractFrom(t, l, text, ct)
			}
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// deepList returns a list in a list in a list.
func deepList(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat("  ", i) + "- lane\n")
	}
	return b.String()
}

func FuzzExtract(f *testing.F) {
	for _, seed := range []string{
		waggle, "", "X is a Y.", "A (B) c", "`a`", "| a | b |\n|---|---|\n| c | d |", "# T\n\n- a: b c d\n", "\xff", "a\u0301 e.g. b", "```\nx\n",
		"Long Form (LF) uses LF. \"Quoted (\" text", "---\ntitle: x\n---\ntext", "The cat's [x](y) is **bold** and *em*.",
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	l := newExtractor(f)
	f.Fuzz(func(t *testing.T, text string, markdown bool) {
		ct := corpus.ContentPlain
		if markdown {
			ct = corpus.ContentMarkdown
		}
		first := extractFrom(t, l, text, ct)
		if second := extractFrom(t, l, text, ct); !reflect.DeepEqual(first, second) {
			t.Errorf("two readings differ: %v and %v", first, second)
		}
	})
}

func BenchmarkExtract(b *testing.B) {
	l := newExtractor(b)
	text := strings.Repeat(waggle, 12)
	words := len(strings.Fields(text))
	for b.Loop() {
		if _, err := l.Extract(b.Context(), knowledge.Passage{Text: text, ContentType: corpus.ContentMarkdown}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*words)/b.Elapsed().Seconds(), "words/s")
}
