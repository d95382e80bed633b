package ranking

import (
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// library returns an index of texts, which are its passages 1, 2, and so on. Each is a
// document of its own, whose title stands before a colon.
func library(t testing.TB, english bool, texts ...string) *index.View {
	t.Helper()
	x, err := index.Open("", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []index.Entry
	for i, text := range texts {
		title, body, ok := strings.Cut(text, ": ")
		if !ok {
			title, body = "", text
		}
		id := int32(i + 1)
		all = append(all, index.Entry{ID: id, Source: id, Document: id, English: english, Text: words.Cut(body, english), Around: words.Cut(title, english).Words})
	}
	if err := x.Apply(all, nil); err != nil {
		t.Fatal(err)
	}
	return x.View()
}

// rank asks a question as the product does.
func rank(t testing.TB, v *index.View, english bool, question string) []Ranked {
	t.Helper()
	q := Ask(question, english, v)
	candidates, err := v.Candidates(t.Context(), index.Query{Terms: q.Terms(), Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	return Learned().Rank(&q, v, candidates)
}

var normans = []string{
	"Normans: The Normans were the people who in the 10th and 11th centuries gave their name to Normandy, a region in France.",
	"Rhine: The Rhine is a river that begins in the Swiss canton of Graubünden and flows through Germany to the North Sea.",
	"Oxygen: Oxygen is a chemical element with the symbol O and the atomic number 8.",
	"Normandy: The landing in Normandy began on 6 June 1944. It was the largest invasion by sea in history.",
}

func TestRank(t *testing.T) {
	v := library(t, true, normans...)
	for question, want := range map[string]int32{
		"Who gave their name to Normandy?":          1,
		"Where does the Rhine begin?":               2,
		"What is the atomic number of oxygen?":      3,
		"When did the landing in Normandy begin?":   4,
		"what was the largset invasion in history?": 4,
		"who were the people":                       1,
	} {
		ranked := rank(t, v, true, question)
		if len(ranked) == 0 || ranked[0].ID != want {
			t.Errorf("%q finds %+v first, want %d", question, ranked, want)
			continue
		}
		if len(ranked[0].Features) != len(Learned().Names()) || ranked[0].Answers < 0.5 || ranked[0].Answers > 1 {
			t.Errorf("%q is answered with %.2f, by %d features", question, ranked[0].Answers, len(ranked[0].Features))
		}
	}
}

func TestAnswersNot(t *testing.T) {
	v := library(t, true, normans...)
	for _, question := range []string{"What is the tallest building in Tokyo?", "How many moons does Jupiter have?", "Who gave the Nobel prize to Marie Curie?"} {
		if ranked := rank(t, v, true, question); len(ranked) > 0 && ranked[0].Answers >= 0.5 {
			t.Errorf("%q is answered by %d with %.2f", question, ranked[0].ID, ranked[0].Answers)
		}
	}
}

func TestMissing(t *testing.T) {
	v := library(t, true, normans...)
	for question, want := range map[string][]string{
		"Where does the Rhine begin?":                                      nil,
		"Is the river Rhine near New York City or the Danube?":             {"near", "New York City", "Danube"},
		"Which river flows through Germany to the baltic sea, since 1871?": {"baltic", "since", "1871"},
	} {
		ranked := rank(t, v, true, question)
		if len(ranked) == 0 || !slices.Equal(ranked[0].Missing, want) {
			t.Errorf("%q misses %q, want %q", question, ranked[0].Missing, want)
		}
	}
}
