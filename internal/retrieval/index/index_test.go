package index

import (
	"slices"
	"testing"

	"github.com/kappagraph/kappa/internal/retrieval/words"
)

func entry(id int32, text string) Entry {
	return Entry{ID: id, Source: id / 2, Document: id / 4, Ontology: 1, Language: "de", Text: words.Cut(text, false)}
}

func ids(candidates []Candidate) (all []int32) {
	for _, c := range candidates {
		all = append(all, c.ID)
	}
	return all
}

func TestCandidates(t *testing.T) {
	x, err := Open("", "here", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Apply([]Entry{entry(1, "a house by a river"), entry(2, "a river"), entry(3, "mountains")}, nil); err != nil {
		t.Fatal(err)
	}
	q := Query{Terms: []Term{{Texts, "river", 1}, {Texts, "house", 1}}, Limit: 10}
	got, err := x.View().Candidates(t.Context(), q)
	if err != nil || !slices.Equal(ids(got), []int32{1, 2}) {
		t.Fatalf("got %v, %v", ids(got), err)
	}
	if err := x.Apply(nil, []int32{1}); err != nil {
		t.Fatal(err)
	}
	if got, _ := x.View().Candidates(t.Context(), q); !slices.Equal(ids(got), []int32{2}) {
		t.Fatalf("after a removal got %v", ids(got))
	}
}
