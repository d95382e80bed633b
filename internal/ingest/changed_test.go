package ingest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// outlinedExtractor reads as fakeExtractor does, with the words that stand in a document
// three times and more.
type outlinedExtractor struct{ fakeExtractor }

func (e *outlinedExtractor) Outline(text string, _ corpus.ContentType) *knowledge.Outline {
	all := map[string]int{}
	for word := range strings.FieldsSeq(text) {
		all[word]++
	}
	return outlineOfWords(all, func(word string) bool { return all[word] >= 3 })
}

func (e *outlinedExtractor) Narrow(o *knowledge.Outline, p knowledge.Passage) *knowledge.Outline {
	return outlineOfWords(o.Terms, func(word string) bool { return strings.Contains(p.Text, word) })
}

func outlineOfWords(all map[string]int, keep func(word string) bool) *knowledge.Outline {
	o := knowledge.Outline{Terms: map[string]int{}}
	for word, n := range all {
		if keep(word) {
			o.Terms[word] = n
		}
	}
	o.Hash = fmt.Sprint(o.Terms)
	return &o
}

// TestChangedDocument ingests a document, and then one to which words were added that
// stand at its beginning too: it is read again where these words stand, and nowhere else,
// and the graph is as if the changed document had been read as a whole.
func TestChangedDocument(t *testing.T) {
	ingest := func(body string, earlier []knowledge.ChunkGraph) (*ingestion, result) {
		i := newIngestion(1, work.ModeParallel)
		i.store.body, i.store.earlier = body, earlier
		i.store.document.ContentHash = new(corpus.ContentHash([]byte(body)))
		got, err := NewHandler(HandlerConfig{Vocabulary: builtinTypes, Store: i.store, Formats: fakeFormats{}, Passages: fakePassages, Extractor: &outlinedExtractor{}, Embedder: i.embedder, Log: testLog(t)}).Work(t.Context(), i.claim)
		var r result
		if err != nil || json.Unmarshal(got, &r) != nil {
			t.Fatalf("got %s, %v", got, err)
		}
		return i, r
	}
	var paragraphs []string
	for i := range 40 {
		paragraphs = append(paragraphs, fmt.Sprintf("Mill%[1]d grinds grain%[1]d for town%[1]d. River%[1]d drives mill%[1]d and wheel%[1]d near bridge%[1]d.", i))
	}
	paragraphs[1] += " One virus and another virus make a third virus likely."
	first, _ := ingest(strings.Join(paragraphs, "\n\n"), nil)
	paragraphs[20] += " Bees fear that virus more."
	body := strings.Join(paragraphs, "\n\n")
	changed, r := ingest(body, first.store.written)
	known, kept := map[string]string{}, 0
	for _, g := range first.store.written {
		known[g.Chunk.Text] = g.Reader
	}
	for _, g := range changed.store.written {
		reader, same := known[g.Chunk.Text]
		if again := !same || reader != g.Reader; !again {
			kept++
		} else if same && !strings.Contains(g.Chunk.Text, "virus") {
			t.Errorf("chunk %d is read again: %q", g.Chunk.Number, g.Chunk.Text)
		}
	}
	if n := len(changed.store.written); n < 40 || kept < n-10 || r.ChunksReused != kept {
		t.Errorf("of %d chunks %d are as they were, and the result says %d", n, kept, r.ChunksReused)
	}
	whole, _ := ingest(body, nil)
	if got, want := fmt.Sprint(describe(changed.store.written)), fmt.Sprint(describe(whole.store.written)); got != want {
		t.Errorf("wrote\n%s\nwant, as if all had been read at once,\n%s", got, want)
	}
}
