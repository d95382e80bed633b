package english

import (
	"strings"
	"testing"
)

func TestSingularForms(t *testing.T) {
	for noun, want := range map[string]string{
		"lanes": "lane", "Lanes": "Lane", "queries": "query", "mice": "mouse", "criteria": "criterion", "leaves": "leaf", "viruses": "virus",
		"matrices": "matrix", "people": "people", "goods": "goods", "headquarters": "headquarters", "Alps": "Alps", "physics": "physics",
		"data": "data", "series": "series", "genera": "genus", "phyla": "phylum", "lane": "lane", "databases": "database", "clauses": "clause",
	} {
		if got := singularForm(noun); got != want {
			t.Errorf("%q is labelled %q, want %q", noun, got, want)
		}
	}
}

// TestIrregularPlurals reads the list: each has a singular, and is not what the rule
// would make of it unless that is the same.
func TestIrregularPlurals(t *testing.T) {
	for entry := range strings.FieldsSeq(irregularPlurals) {
		plural, one, ok := strings.Cut(entry, "=")
		if !ok || plural == "" || one == "" {
			t.Fatalf("entry %q", entry)
		}
		if got := singularForm(plural); got != one {
			t.Errorf("%q is labelled %q, want %q", plural, got, one)
		}
	}
}

// TestSurfaces checks how names are written as labels.
func TestSurfaces(t *testing.T) {
	for _, c := range []struct{ rule, text, want string }{
		{"a common noun in lower case and in the singular", "Many lathes broke.", "lathe"},
		{"all words but the last as they stand", "The savings bank failed.", "savings bank"},
		{"a name as it stands", "They met Marie Curie there.", "Marie Curie"},
		{"an acronym in the singular", "They sold PCRs there.", "PCR"},
		{"an identifier as it stands", "They read worker_lanes there.", "worker_lanes"},
		{"a hyphen stays", "The write-ahead log grew.", "write-ahead log"},
		{"a possessive of a law", "They know Newton's law well.", "Newton's law"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			r, s := readingOf(t, c.text)
			for _, p := range r.phrases[0] {
				if got := surface(s.tokens[p.from:p.last]); got == c.want {
					return
				} else if !p.pronoun {
					t.Logf("%q", got)
				}
			}
			t.Errorf("no label %q in %q", c.want, c.text)
		})
	}
}
