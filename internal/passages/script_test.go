package passages

import (
	"slices"
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

// TestMixedScripts wants short paragraphs of different scripts to be passages of their own, each in
// its language.
func TestMixedScripts(t *testing.T) {
	const text = "Moscow is the capital of Russia. It is the largest of its cities.\n\nIt is old.\n\nМосква — столица и самый большой город.\n\n東京は日本の首都です。\n\nIt is big."
	var got []string
	for p := range (Cutter{}).Cut(corpus.DocumentText{Text: text}) {
		got = append(got, p.Language+" "+p.Text)
	}
	want := []string{"en Moscow is the capital of Russia. It is the largest of its cities.\n\nIt is old.", "ru Москва — столица и самый большой город.\n\n東京は日本の首都です。", "en It is big."}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
