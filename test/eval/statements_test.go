package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/extract"
	"github.com/kappagraph/kappa/internal/ingest"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// TestStatements holds the built-in extractor to what the README promises, on the texts of
// the demo and of the evaluation: every relationship has a sentence of its document, and
// both ends stand in it by one of their names, by a word that refers to them, or in a
// sentence before that is given with it.
func TestStatements(t *testing.T) {
	e, err := extract.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	documents := demoDocuments(t)
	for _, name := range []string{setTextbook, setTextbookHeldout, setDev, setHeldout} {
		s, err := readBuiltin(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range s.documents {
			d.name = name + "/" + d.name
			if heldOut(name) {
				d.name = name // its details are not read
			}
			documents = append(documents, d)
		}
	}
	var counts [4]int
	for _, d := range documents {
		for _, r := range readAsIngested(t, e, d) {
			counts[0]++
			for _, end := range []struct {
				mark  knowledge.Mark
				names []string
			}{{r.Marks.From, r.from}, {r.Marks.To, r.to}} {
				counts[1+slices.Index([]knowledge.MarkKind{knowledge.MarkName, knowledge.MarkReference, knowledge.MarkBefore}, end.mark.Kind)]++
				if wrong := wrongMark(d.passage.Text, r.ExtractedRelationship, end.mark, end.names); wrong != "" {
					t.Errorf("%s: %s of %v in %q (%+v)", d.name, wrong, end.names, r.Quote, r.Marks)
				}
			}
		}
	}
	t.Logf("%d relationships of %d documents; ends by name, by reference, before: %v", counts[0], len(documents), counts[1:])
	if counts[0] < 2000 {
		t.Errorf("only %d relationships were read", counts[0])
	}
}

// demoDocuments are the documents that kg demo reads.
func demoDocuments(t *testing.T) []document {
	t.Helper()
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) < 10 {
		t.Fatalf("the documentation is not there: %v, %v", files, err)
	}
	var out []document
	for _, file := range append(files, "../../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, document{name: filepath.Base(file), passage: knowledge.Passage{Text: string(text), ContentType: corpus.ContentMarkdown}})
	}
	return out
}

// readRelationship is a relationship with the names of its ends.
type readRelationship struct {
	knowledge.ExtractedRelationship
	from, to []string
}

// readAsIngested reads a document chunk by chunk, as an ingestion does; spans count from
// the document.
func readAsIngested(t *testing.T, e extract.Reader, d document) []readRelationship {
	t.Helper()
	options, _, err := corpus.ChunkRequest{}.Options()
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, b := range vocabulary.BuiltinTypes() {
		types = append(types, b.Name)
	}
	outline := e.Outline(d.passage.Text, d.passage.ContentType)
	var out []readRelationship
	for chunk := range ingest.Chunks(d.passage.Text, d.passage.ContentType, options) {
		p := knowledge.Passage{Text: chunk.Text, ContentType: d.passage.ContentType}
		p.Outline = e.Narrow(outline, p)
		found, err := e.Extract(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		found = ingest.Clean(found, chunk.Text, types)
		names := map[string][]string{}
		for _, c := range found.Concepts {
			names[c.Key] = namesOf(c)
		}
		for _, r := range found.Relationships {
			r.Span.Start, r.Span.End = r.Span.Start+chunk.Bytes.Start, r.Span.End+chunk.Bytes.Start
			r.Marks = r.Marks.Shifted(chunk.Bytes.Start)
			out = append(out, readRelationship{r, names[r.From], names[r.To]})
		}
	}
	return out
}

// wrongMark says what is wrong with a mark, or "".
func wrongMark(text string, r knowledge.ExtractedRelationship, m knowledge.Mark, names []string) string {
	switch {
	case r.Quote == "":
		return "no quote"
	case text[r.Span.Start:r.Span.End] != r.Quote:
		return "the quote is not the text at its span"
	case m.Kind.InQuote() && (m.Start < 0 || m.Start >= m.End || m.End > len(r.Quote)):
		return "a mark outside of the quote"
	}
	before := r.Marks.Before
	switch m.Kind {
	case knowledge.MarkName:
		if !speaksOf(r.Quote[m.Start:m.End], names) {
			return "the mark is no name: " + r.Quote[m.Start:m.End]
		}
		return ""
	case knowledge.MarkReference:
		if word := strings.ToLower(strings.Fields(r.Quote[m.Start:m.End])[0]); !slices.Contains([]string{"it", "they", "this", "these", "he", "she"}, word) {
			return "the mark refers to nothing: " + r.Quote[m.Start:m.End]
		}
	case knowledge.MarkBefore:
	default:
		return "no mark"
	}
	switch {
	case before == "" || text[r.Marks.BeforeSpan.Start:r.Marks.BeforeSpan.End] != before:
		return "no sentence before"
	case r.Marks.BeforeSpan.Start >= r.Span.Start:
		return "the sentence before stands behind"
	case !speaksOf(before, names):
		return "the sentence before does not name it: " + before
	}
	return ""
}

// speaksOf reports whether a text has one of the names, in whatever form.
func speaksOf(text string, names []string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) })
	for _, name := range names {
		want := stems(name)
		for i := range words {
			if inOrder(words[i:], strings.Fields(want)) {
				return true
			}
			for n := 1; n <= 8 && i+n <= len(words); n++ {
				if got := strings.Join(words[i:i+n], " "); stems(got) == want || naming.IdentityKey(got) == naming.IdentityKey(name) {
					return true
				}
			}
		}
	}
	return false
}

// inOrder reports whether the first words of a text, with a few others between them, have
// the stems of a name.
func inOrder(words, want []string) bool {
	const between = 3
	others := 0
	for _, w := range words {
		switch {
		case len(want) == 0:
			return true
		case stems(w) == want[0]:
			want = want[1:]
		case others == between:
			return false
		default:
			others++
		}
	}
	return len(want) == 0
}
