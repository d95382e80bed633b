package index

import (
	"testing"

	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// TestCommonTermsOfEnglish wants passages to be found by words that most of them have, though
// the same words are asked for as they are written, by which English passages are not found.
func TestCommonTermsOfEnglish(t *testing.T) {
	x, err := Open("", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	var add []Entry
	for id := range int32(4) {
		add = append(add, Entry{ID: id + 1, Source: 1, Document: 1, Ontology: 1, English: true, Text: words.Cut("a lane wakes", true)})
	}
	if err := x.Apply(add, nil); err != nil {
		t.Fatal(err)
	}
	found, err := x.View().Candidates(t.Context(), Query{Limit: 9, Terms: []Term{{Stems, "lane", 1}, {Texts, "lane", 1}, {Stems, "wake", 1}, {Texts, "wakes", 1}}})
	if err != nil || len(found) != 4 {
		t.Errorf("%d passages, %v", len(found), err)
	}
}
