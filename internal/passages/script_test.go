package passages

import (
	"slices"
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

// TestMixedLanguages wants short paragraphs that are clearly in two languages to be passages of their
// own, each in its language.
func TestMixedLanguages(t *testing.T) {
	const (
		english = "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act in a spirit of brotherhood."
		german  = "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen sich im Geist der Brüderlichkeit begegnen."
	)
	var got []string
	for p := range (Cutter{}).Cut(corpus.DocumentText{Text: english + "\n\n" + german + "\n\n" + english}) {
		got = append(got, p.Language+" "+p.Text)
	}
	if want := []string{"en " + english, "de " + german, "en " + english}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

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
