package english

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// theExtractor is made once: the rules of most tests are rows of a table.
var theExtractor = sync.OnceValues(New)

// newExtractor returns the extractor.
func newExtractor(tb testing.TB) *Extractor {
	tb.Helper()
	e, err := theExtractor()
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// statements returns the typed relationships that sentences state, as "from TYPE
// to", sorted, whatever is chosen of the concepts.
func statements(t *testing.T, text string, ct corpus.ContentType) []string {
	t.Helper()
	r := newReading(newExtractor(t).With(nil), knowledge.Passage{Text: text, ContentType: ct}) // the rules alone
	for _, err := range []error{r.tag(t.Context()), r.state(t.Context())} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var out []string
	for _, st := range r.statements {
		from, to := r.found.find(st.from), r.found.find(st.to)
		if from != to {
			out = append(out, from.label()+" "+st.typ+" "+to.label())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// example is one rule with a sentence, and what is read in it.
type example struct {
	rule, text string
	want       string // statements with "; " between them, "" for none
}

// checkExamples reads the sentence of each rule.
func checkExamples(t *testing.T, ct corpus.ContentType, examples []example) {
	t.Helper()
	for _, x := range examples {
		t.Run(x.rule, func(t *testing.T) {
			want := strings.Split(x.want, "; ")
			slices.Sort(want)
			if got := statements(t, x.text, ct); !slices.Equal(got, want) && (len(got) > 0 || x.want != "") {
				t.Errorf("%s\n got %q\nwant %q", x.text, got, want)
			}
		})
	}
}

// describes returns the description that a text gives of a label.
func describes(t *testing.T, text string, ct corpus.ContentType, label string) string {
	t.Helper()
	e, err := newExtractor(t).Extract(t.Context(), knowledge.Passage{Text: text, ContentType: ct})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range e.Concepts {
		if c.Label == label {
			return c.Description
		}
	}
	t.Fatalf("no concept %q in %+v", label, e.Concepts)
	return ""
}

// readingOf returns the first sentence of a text with its tags and phrases.
func readingOf(t *testing.T, text string) (*reading, sentence) {
	t.Helper()
	r := newReading(newExtractor(t), knowledge.Passage{Text: text})
	if err := r.tag(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(r.sentences) == 0 {
		t.Fatalf("no sentence in %q", text)
	}
	return r, r.sentences[0]
}

// tokensOf returns the tokens of the first sentence of a text.
func tokensOf(t *testing.T, text string) []token {
	t.Helper()
	_, s := readingOf(t, text)
	return s.tokens
}
