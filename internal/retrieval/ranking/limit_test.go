package ranking

import (
	"math"
	"testing"

	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// TestLimitsOfLanguages has one text in several languages: only the limit of one that was learned
// from is its own, and the smaller the library the more of it.
func TestLimitsOfLanguages(t *testing.T) {
	x, err := index.Open("", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []index.Entry
	for i, language := range []string{"de", "fr", "", "en"} {
		id := int32(i + 1)
		all = append(all, index.Entry{ID: id, Source: id, Document: id, Language: language, English: language == "en", Text: words.Cut("Rhine Basel Köln", false)})
	}
	if err := x.Apply(all, nil); err != nil {
		t.Fatal(err)
	}
	v := x.View()
	q := Ask("Rhine Basel", false, v)
	candidates, err := v.Candidates(t.Context(), index.Query{Terms: q.Terms(), Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	m := New(Weights{Limits: map[string]Limit{"de": {Bias: 1, Small: 0.5}, "en": {Bias: 9}}})
	for _, r := range m.Rank(&q, v, candidates) {
		want := 0.5
		if r.Language == "de" {
			want = 1 / (1 + math.Exp(-1-0.5*r.Features[smallAt]))
		}
		if math.Abs(r.Answers-want) > 1e-9 {
			t.Errorf("a passage in %q answers with %.4f, want %.4f", r.Language, r.Answers, want)
		}
	}
	if len(Learned().limits) == 0 {
		t.Error("no limits of languages were learned")
	}
}
