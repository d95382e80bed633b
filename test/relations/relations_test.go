package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kappagraph/kappa/internal/extract/english"
	"github.com/kappagraph/kappa/internal/extract/english/relations"
)

// annotated is a text in the format of Re-DocRED: two relations that a sentence of it shows, and one
// that only another sentence does.
const annotated = `[{"title": "Mara Kessel",
	"sents": [["Mara", "Kessel", "was", "born", "in", "Graz", ",", "Austria", "."], ["In", "1981", "Mara", "Kessel", "saw", "Graz", "and", "Austria", "again", "."]],
	"vertexSet": [
		[{"name": "Mara Kessel", "sent_id": 0, "pos": [0, 2], "type": "PER"}, {"name": "Mara Kessel", "sent_id": 1, "pos": [2, 4], "type": "PER"}],
		[{"name": "Graz", "sent_id": 0, "pos": [5, 6], "type": "LOC"}, {"name": "Graz", "sent_id": 1, "pos": [5, 6], "type": "LOC"}],
		[{"name": "Austria", "sent_id": 0, "pos": [7, 8], "type": "LOC"}, {"name": "Austria", "sent_id": 1, "pos": [7, 8], "type": "LOC"}]],
	"labels": [
		{"h": 0, "t": 1, "r": "P19", "evidence": [0]},
		{"h": 2, "t": 1, "r": "P150", "evidence": [0]}]}]`

// texts reads a file.
func texts(t *testing.T, content string) ([]text, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dev.json")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return readTexts(path)
}

// TestAnnotate wants what people said of a sentence for its own names, and nothing where another
// sentence says it.
func TestAnnotate(t *testing.T) {
	all, err := texts(t, annotated)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := all[0].body, "Mara Kessel was born in Graz, Austria. In 1981 Mara Kessel saw Graz and Austria again."; got != want {
		t.Errorf("the text is %q, want %q", got, want)
	}
	e, err := english.New()
	if err != nil {
		t.Fatal(err)
	}
	sentences, err := annotate(t.Context(), e.With(nil), all[0], 7)
	if err != nil {
		t.Fatal(err)
	}
	if len(sentences) != 2 {
		t.Fatalf("%d sentences name something, want 2", len(sentences))
	}
	first, second := sentences[0], sentences[1]
	if len(first.Mentions) != 3 || first.Kinds[0] != "PER" || first.Kinds[2] != "LOC" || first.Group != 7 {
		t.Errorf("the first sentence has %v of kinds %q", first.Mentions, first.Kinds)
	}
	if a, b := first.Stated[[2]int{0, 1}], first.Stated[[2]int{1, 2}]; a != "BORN_IN" || b != "LOCATED_IN" {
		t.Errorf("it states %q and %q", a, b)
	}
	if len(first.Unsaid) != 0 || len(second.Stated) != 0 || len(second.Unsaid) != 2 {
		t.Errorf("unsaid are %v of the first one, and %v of the second, which states %v", first.Unsaid, second.Unsaid, second.Stated)
	}
}

// TestClassOf reads properties in both directions.
func TestClassOf(t *testing.T) {
	for _, c := range []struct {
		property  string
		headFirst bool
		want      string
	}{
		{"P19", true, "BORN_IN"},
		{"P19", false, relations.Backward + "BORN_IN"},
		{"P150", true, relations.Backward + "LOCATED_IN"},
		{"P150", false, "LOCATED_IN"},
		{"P26", false, "MARRIED_TO"},
		{"P9999", true, relations.Other},
	} {
		if got := classOf(c.property, c.headFirst); got != c.want {
			t.Errorf("%s, head first %t, is %q, want %q", c.property, c.headFirst, got, c.want)
		}
	}
}

// TestBadTexts reads what is no file of Re-DocRED.
func TestBadTexts(t *testing.T) {
	for _, content := range []string{"", "{}", `[{"sents": [["a"]], "vertexSet": [[{"name": "b", "sent_id": 0, "pos": [0, 2], "type": "PER"}]]}]`} {
		if got, err := texts(t, content); err == nil {
			t.Errorf("%q was read as %v", content, got)
		}
	}
}
