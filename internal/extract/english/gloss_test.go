package english

import (
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

func TestGlosses(t *testing.T) {
	checkExamples(t, corpus.ContentMarkdown, []example{
		{"a dash after a bold term", "**Sail locker** — a room for canvas.", "sail locker SPECIALIZES room"},
		{"a short dash", "**Sail locker** – a room for canvas.", "sail locker SPECIALIZES room"},
		{"a hyphen with spaces", "**Sail locker** - a room for canvas.", "sail locker SPECIALIZES room"},
		{"a colon after a bold term", "**Sail locker**: a room for canvas.", "sail locker SPECIALIZES room"},
		{"a name before the dash", "**Sextant** — an instrument for sailors.", "Sextant INSTANTIATES instrument"},
		{"an item of a list", "- anchor — an iron for ships", "anchor SPECIALIZES iron"},
		{"an item with a colon", "- sextant: an instrument for sailors", "sextant SPECIALIZES instrument"},
		{"a row of a table", "| sextant | an instrument for sailors |\n| anchor | an iron for ships |\n", "sextant SPECIALIZES instrument; anchor SPECIALIZES iron"},
		{"a term with an article", "- the sextant: an instrument for sailors", "sextant SPECIALIZES instrument"},
		{"an item that starts with its verb is none", "- requires the steam of a boiler", ""},
		{"a dash in a sentence is none", "The sextant — an instrument for sailors.", ""},
		{"nor is a colon in a sentence", "Bring a sextant: an instrument for sailors.", ""},
		{"a gloss of a word or two says too little", "- sextant: an instrument", ""},
		{"a gloss without a class", "- sextant: measures the height of stars", ""},
	})
}

// TestGlossesDescribe checks what a gloss says of its term.
func TestGlossesDescribe(t *testing.T) {
	for _, c := range []struct{ rule, text, want string }{
		{"all of an item", "- sextant: measures the height of stars", "measures the height of stars"},
		{"the next cell of a row", "| sextant | measures the height of stars | brass |\n", "measures the height of stars"},
		{"what follows the dash", "**The sextant** — an instrument for sailors.", "an instrument for sailors."},
		{"too little", "- sextant: brass", ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if got := describes(t, c.text, corpus.ContentMarkdown, "sextant"); got != c.want {
				t.Errorf("%q: %q, want %q", c.text, got, c.want)
			}
		})
	}
}
