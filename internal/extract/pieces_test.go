package extract

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
)

// words is a reader that finds each word of a passage, and that a word precedes the
// next one.
type words struct{ passages []knowledge.Passage }

func (*words) Model() models.Model { return models.Model{Name: "words", PricePerMillion: 2} }

func (w *words) Extract(ctx context.Context, p knowledge.Passage) (knowledge.Extraction, error) {
	w.passages = append(w.passages, p)
	var e knowledge.Extraction
	known := map[string]bool{}
	before, at := "", 0
	for word := range strings.FieldsSeq(p.Text) {
		start := at + strings.Index(p.Text[at:], word)
		at = start + len(word)
		if !known[word] {
			known[word] = true
			e.Concepts = append(e.Concepts, knowledge.ExtractedConcept{Key: word, Label: word, Weight: 1})
		}
		e.Instances = append(e.Instances, knowledge.ExtractedInstance{Concept: word, Quote: word + "!", Span: corpus.Span{Start: start, End: at}})
		if before != "" && before != word {
			e.Relationships = append(e.Relationships, knowledge.ExtractedRelationship{From: before, Type: "PRECEDES", To: word, Confidence: 1})
		}
		before = word
	}
	return e, ctx.Err()
}

func TestPieces(t *testing.T) {
	t.Run("a passage that fits is read as it is", func(t *testing.T) {
		reader := &words{}
		p := knowledge.Passage{Text: "a lane claims", ContentType: corpus.ContentMarkdown, Known: []knowledge.KnownConcept{{ID: "c_1", Label: "lane"}}}
		e, err := (&pieces{reader, 100}).Extract(t.Context(), p)
		if err != nil || len(e.Concepts) != 3 || len(reader.passages) != 1 || len(reader.passages[0].Known) != 1 {
			t.Errorf("%+v and %v of %+v", e, err, reader.passages)
		}
	})
	t.Run("the pieces of a longer one are joined by key, with the places in the whole", func(t *testing.T) {
		reader := &words{}
		text := "lane slot lane\nclaim lane\nslot claim"
		p := knowledge.Passage{Text: text, ContentType: corpus.ContentMarkdown, Known: []knowledge.KnownConcept{{ID: "c_1", Label: "lane"}}}
		e, err := (&pieces{reader, 15}).Extract(t.Context(), p)
		if err != nil || len(reader.passages) != 3 {
			t.Fatalf("%d pieces, %v", len(reader.passages), err)
		}
		for _, piece := range reader.passages {
			if piece.ContentType != p.ContentType || len(piece.Known) != 1 {
				t.Errorf("a piece lost what was said of the passage: %+v", piece)
			}
		}
		if len(e.Concepts) != 3 || e.Concepts[0].Weight != 2 {
			t.Errorf("concepts %+v", e.Concepts)
		}
		for _, i := range e.Instances {
			if text[i.Span.Start:i.Span.End]+"!" != i.Quote {
				t.Errorf("%q is not at %v", i.Quote, i.Span)
			}
		}
		if len(e.Instances) != 3 {
			t.Errorf("%d instances, want each quote of a concept once", len(e.Instances))
		}
	})
	t.Run("a concept keeps a few quotes, the extraction its heaviest concepts", func(t *testing.T) {
		var text strings.Builder
		for i := range 2000 {
			text.WriteString(strings.Repeat("w", 1+i%7) + string(rune('a'+i%26)) + strings.Repeat("x", i/26) + " often\n")
		}
		e, err := (&pieces{&words{}, 200}).Extract(t.Context(), knowledge.Passage{Text: text.String()})
		if err != nil || len(e.Concepts) != maxCollectedConcepts || e.Concepts[0].Label != "often" || len(e.Relationships) > maxCollectedRelationships {
			t.Errorf("%d concepts, %d relationships, %v", len(e.Concepts), len(e.Relationships), err)
		}
		keys := map[string]bool{}
		for _, c := range e.Concepts {
			keys[c.Key] = true
		}
		for _, r := range e.Relationships {
			if !keys[r.From] || !keys[r.To] {
				t.Fatalf("%+v is not between concepts that were kept", r)
			}
		}
	})
	t.Run("an error says how long the passage is", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := (&pieces{&words{}, 8}).Extract(ctx, knowledge.Passage{Text: "lane slot"})
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "9 bytes") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the model is the reader's", func(t *testing.T) {
		if m := (&pieces{&words{}, 8}).Model(); m.Name != "words" || m.PricePerMillion != 2 {
			t.Errorf("got %+v", m)
		}
	})
}

func TestPieceEnd(t *testing.T) {
	for _, c := range []struct {
		where, text string
		want        int
	}{
		{"all that fits", "sixteen letters.", 16},
		{"a blank line first", "aaaa aaaaaaa\n\na\nbbb", 14},
		{"then the end of a line", "aaaa aaaaaaa a\na bbb", 15},
		{"then a space", "aaaa aaaaaaaa aabbbb", 14},
		{"else the limit", "aaaaaaaaaaaaaaaabbbb", 16},
		{"but inside no letter", "aaaaaaaaaaaaaaaébbb", 15},
		{"nothing far before the limit", "aaaa\n\naaaaaaaaaabbbb", 16},
	} {
		t.Run(c.where, func(t *testing.T) {
			if got := pieceEnd(c.text, 0, 16); got != c.want {
				t.Errorf("%q is cut at %d, want %d", c.text, got, c.want)
			}
		})
	}
}

func TestBuiltin(t *testing.T) {
	builtin, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	if m := builtin.Model(); m.Name != "local" || !m.Local || m.Cost(1_000_000) != 0 {
		t.Errorf("the extractor is %+v", m)
	}
	if m := BuiltinEmbedder().Model(); m.Name != "local-ngram-768" || !m.Local {
		t.Errorf("the embedder is %+v", m)
	}
	text := strings.Repeat("The lane claims a job from the queue. Each claim token guards one lease.\n", 1900)
	if len(text) < 2*maxPieceBytes {
		t.Fatalf("the text has %d bytes, too few for several pieces", len(text))
	}
	e, err := builtin.Extract(t.Context(), knowledge.Passage{Text: text})
	if err != nil || len(e.Concepts) == 0 || len(e.Concepts) > 20 {
		t.Errorf("%d concepts from two repeated sentences, %v", len(e.Concepts), err)
	}
	for _, i := range e.Instances {
		if text[i.Span.Start:i.Span.End] != i.Quote {
			t.Errorf("%q is not at %v", i.Quote, i.Span)
		}
	}
}
