package english

import (
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

func TestSpellings(t *testing.T) {
	for _, same := range [][]string{
		{"data base", "database"},
		{"colour", "color"},
		{"organise", "organize"},
		{"analyse", "analyze"},
		{"analogue", "analog"},
		{"haemoglobin", "hemoglobin"},
		{"oestrogen", "estrogen"},
		{"travell", "travel"},
		{"web site", "website"},
	} {
		for _, key := range same[1:] {
			if spelling(key) != spelling(same[0]) {
				t.Errorf("%q is spelt %q, and %q %q", key, spelling(key), same[0], spelling(same[0]))
			}
		}
	}
	for _, apart := range [][2]string{{"lane", "line"}, {"post", "poste"}, {"job", "lane"}, {"our", "or"}} {
		if spelling(apart[0]) == spelling(apart[1]) {
			t.Errorf("%q and %q are one word", apart[0], apart[1])
		}
	}
}

// labelsOf returns the concepts of a text, each with its other names in brackets.
func labelsOf(t *testing.T, text string) []string {
	t.Helper()
	var out []string
	for _, c := range extractFrom(t, newExtractor(t), text, corpus.ContentPlain).Concepts {
		label := c.Label
		if len(c.SearchTerms) > 0 {
			label += " (" + strings.Join(c.SearchTerms, ", ") + ")"
		}
		out = append(out, label)
	}
	slices.Sort(out)
	return out
}

func TestMerges(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		want       string // a concept with its other names
	}{
		{"numbers", "The lathe is old. Two lathes are new.", "lathe"},
		{"spaces", "The rain fall is old. The rainfall is new. A rainfall is big.", "rainfall (rain fall)"},
		{"hyphens", "The job-queue is old. The job queue is new. A job queue is big.", "job queue (job-queue)"},
		{"British and American", "A colour model is old. The color model is new. A colour model is big.", "colour model (color model)"},
		{"a surname and the full name", "Ada Lovelace wrote it. Lovelace slept.", "Ada Lovelace (Lovelace)"},
		{"a surname with a particle", "Karl von Frisch is old. They know Frisch well.", "Karl von Frisch (Frisch)"},
		{"names with or between them", "Wall bears, also known as moss piglets or water bears, are small.", "wall bear (moss piglet, water bear)"},
		{"names in a list", "Wall bears, also called moss piglets, pond walkers or water bears, are small.", "wall bear (moss piglet, pond walker, water bear)"},
		{"a place that is called after another", "The bridge at Norrby is old. They sold a mill in Lower Norrby.", "Norrby"},
		{"a person of a place", "Ingrid Falkenberg of Uppsala University came.", "Ingrid Falkenberg"},
		{"what a letter tells apart", "Annex A replaces the deposit form.", "Annex A"},
		{"a word with and without its accent", "The naïve reader of maps is old. A naive reader of maps is a fool.", "naïve reader (naive reader)"},
		{"an abbreviation with and without a last S", "It stores IMAPS tokens. IMAP is a protocol. IMAPS is a protocol.", "IMAPS"},
		{"the plural of an abbreviation", "It stores PDF files. PDFs are files.", "PDF"},
		{"the first and the second", "Charles I was a king. Charles II was a king.", "Charles I"},
		{"one and eleven", "They sent Apollo 1 away. They sent Apollo 11 away.", "Apollo 1"},
		{"a species", "The strain of E. coli causes fever. E. faecalis lives in soil.", "E. coli"},
		{"another species", "The strain of E. coli causes fever. E. faecalis lives in soil.", "E. faecalis"},
		{"an abbreviation before a name", "They sold mills in Ft. Wayne.", "Ft. Wayne"},
		{"a plural that looks like none", "It includes photographs and maps.", "photograph"},
		{"a name and a common noun in capitals", "The lathe is old. THE LATHE is new.", "lathe"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if got := labelsOf(t, c.text); !slices.Contains(got, c.want) {
				t.Errorf("%s: no %q in %q", c.text, c.want, got)
			}
		})
	}
	t.Run("a surname that two persons share is joined with neither", func(t *testing.T) {
		got := labelsOf(t, "Pierre Curie spoke. Marie Curie spoke. Then Curie slept.")
		if !slices.Contains(got, "Pierre Curie") || !slices.Contains(got, "Marie Curie") {
			t.Errorf("got %q", got)
		}
	})
	t.Run("a word that ends another is not joined with it", func(t *testing.T) {
		got := labelsOf(t, "The job queue grew. The queue broke. A queue ended.")
		if !slices.Contains(got, "job queue") || !slices.Contains(got, "queue") {
			t.Errorf("got %q", got)
		}
	})
}

// TestInflectionsAreOne wants the forms of one noun to be one candidate, and words that are
// only derived from each other to stay apart.
func TestInflectionsAreOne(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		want       []string
	}{
		{"number", "The kidney stone hurts. Kidney stones hurt.", []string{"kidney stone"}},
		{"what is derived", "The university studies the universe.", []string{"university", "universe"}},
		{"the organ and the organization", "The organization buys an organ.", []string{"organ", "organization"}},
		{"who does it", "The scheduler reads the schedule.", []string{"scheduler", "schedule"}},
		{"a flag", "The flag `--job` names a job.", []string{"--job", "job"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			e, err := newExtractor(t).Extract(t.Context(), knowledge.Passage{Text: c.text, ContentType: corpus.ContentMarkdown})
			if err != nil {
				t.Fatal(err)
			}
			var labels []string
			for _, got := range e.Concepts {
				labels = append(labels, got.Label)
			}
			for _, want := range c.want {
				if !slices.Contains(labels, want) {
					t.Errorf("the concepts are %q, want %q too", labels, want)
				}
			}
		})
	}
}
