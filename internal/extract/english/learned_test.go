package english_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/extract/english"
	"github.com/kappagraph/kappa/knowledge"
)

// read returns the relationships and the labels that a text gives.
func read(t *testing.T, text string) (relationships, labels []string) {
	t.Helper()
	e, err := english.New()
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.Extract(t.Context(), knowledge.Passage{Text: text, ContentType: corpus.ContentPlain})
	if err != nil {
		t.Fatal(err)
	}
	label := map[string]string{}
	for _, c := range x.Concepts {
		label[c.Key] = c.Label
		labels = append(labels, c.Label)
	}
	for _, r := range x.Relationships {
		if r.Confidence < 0.2 || r.Confidence > 0.97 {
			t.Errorf("%q: a confidence of %v", text, r.Confidence)
		}
		relationships = append(relationships, label[r.From]+" "+r.Type+" "+label[r.To])
	}
	return relationships, labels
}

// TestLearned reads sentences that no rule reads, and those that say no such thing.
func TestLearned(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ about, text, want, never string }{
		{"a country by what is of it", "Mara Kessel (born 12 May 1951 in Graz) is a Canadian novelist.", "Mara Kessel CITIZEN_OF Canada", "Graz LOCATED_IN Canada"},
		{"a place in a place", "Villach is a town in the state of Carinthia in southern Austria.", "Villach LOCATED_IN Austria", ""},
		{"somebody whom a pronoun stands for", "Mara Kessel retired. She studied at the University of Vienna.", "Mara Kessel STUDIED_AT University of Vienna", ""},
		{"a denial", "Mara Kessel was not born in Linz, a town in Austria.", "", "Mara Kessel BORN_IN Linz"},
		{"a condition", "If Amos Kessel was born in Rome, he is a citizen.", "", "Amos Kessel BORN_IN Rome"},
		{"a question", "Was Amos Kessel born in Rome?", "", "Amos Kessel BORN_IN Rome"},
	} {
		got, _ := read(t, c.text)
		if c.want != "" && !slices.Contains(got, c.want) {
			t.Errorf("%s: %q gives %q, want %q", c.about, c.text, got, c.want)
		}
		if slices.Contains(got, c.never) {
			t.Errorf("%s: %q gives %q", c.about, c.text, c.never)
		}
	}
}

// TestDemonymsBringInNothing wants no country of what is only called after one.
func TestDemonymsBringInNothing(t *testing.T) {
	t.Parallel()
	if _, labels := read(t, "We had a Greek salad and two Danish pastries. The Turkish coffee was cold."); slices.Contains(labels, "Greece") || slices.Contains(labels, "Denmark") || slices.Contains(labels, "Turkey") {
		t.Errorf("concepts are %q", labels)
	}
}

// TestDemonymsCountForTheirCountry wants one concept of a country that is named both ways, called as
// the text calls it most.
func TestDemonymsCountForTheirCountry(t *testing.T) {
	t.Parallel()
	got, _ := read(t, "Tom Reed (born 4 May 1901 in Boston) was an American poet. In 1950 he left the United States. The United States forgot him.")
	if !slices.Contains(got, "Tom Reed CITIZEN_OF United States") {
		t.Errorf("relationships are %q", got)
	}
}

// TestBareNames wants the names of people without what they are.
func TestBareNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"He fought in World War I with Ferdinand I there.":          "World War I",
		"In 1901 President William McKinley visited Buffalo.":       "William McKinley",
		"They met Vice Admiral Robert Ghormley there.":              "Robert Ghormley",
		"He joined the skiing club SK Ull in 1890.":                 "SK Ull",
		"She led the Convention People's Party for years.":          "Convention People's Party",
		"The town was known to King Prajadhipok and to nobody else": "King Prajadhipok",
	} {
		if _, labels := read(t, text); !slices.Contains(labels, want) {
			t.Errorf("%q names %s, want %q", text, strings.Join(labels, ", "), want)
		}
	}
}

// TestNamed wants what annotators are shown to have what rules read of it, as the weights see it later.
func TestNamed(t *testing.T) {
	t.Parallel()
	e, err := english.New()
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.Named(t.Context(), knowledge.Passage{Text: "Mara Kessel founded the Graz Museum.", ContentType: corpus.ContentPlain})
	if err != nil || len(got) != 1 {
		t.Fatalf("%+v, error %v, want one sentence", got, err)
	}
	if got[0].Ruled[[2]int{0, 1}] != "FOUNDED" {
		t.Errorf("rules read %v", got[0].Ruled)
	}
}
