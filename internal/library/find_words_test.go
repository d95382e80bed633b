package library

import (
	"slices"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// TestPassagesMatchAsTexts: a passage that is compared by the numbers of its words matches as its
// words do.
func TestPassagesMatchAsTexts(t *testing.T) {
	t.Parallel()
	ask := documentation(t).open(t)
	latest, err := ask.passages.Fresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	counts := map[corpus.WordMatch]int{}
	for _, query := range [][2]string{
		{"worker lane", ""}, {"workers of lanes", ""}, {"lane ", "work"}, {"how long a worker ", "hol"}, {"the of", ""}, {"", "k"}, {"", "concept"}, {"kg doctor --deep", ""},
		{"claim token heartbeat lease lanes worker postgres database", ""}, {"nobodysaysthis", ""}, {"KG_DATA_DIR ", "pass"},
	} {
		m := newMatcher(query[0], query[1])
		m.completions = []words.Word{{Text: query[1] + "er", Stem: query[1] + "er"}}
		var terms []index.Term
		for _, w := range slices.Concat(m.words, wholeWords("the of a lane concept")) {
			terms = bothTerms(terms, w)
		}
		found, err := latest.View.Candidates(t.Context(), index.Query{Terms: terms, Limit: 1000})
		if err != nil || len(found) == 0 {
			t.Fatal(len(found), err)
		}
		by := newPassageMatcher(&m, latest.View)
		var p index.Passage
		for i := range found {
			latest.View.Read(&found[i], &p)
			want := m.match(p.Words, p.Around)
			if !slices.ContainsFunc(p.Words, m.has) {
				want = corpus.SomeWords // only its name or its headings have them
			}
			if got := by.match(&found[i]); got != want {
				t.Errorf("%q in passage %d: %v, want %v", query, found[i].ID, got, want)
			}
			counts[want]++
		}
	}
	if len(counts) != 4 {
		t.Errorf("the queries match only so: %v", counts)
	}
}
