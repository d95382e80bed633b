package extract

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// TestRemember reads passages for a preview first.
func TestRemember(t *testing.T) {
	passage := func(text string) knowledge.Passage {
		return knowledge.Passage{Text: text, ContentType: corpus.ContentPlain, Outline: &knowledge.Outline{Hash: "outline"}}
	}
	// start returns the two Readers, and how often they have read.
	start := func(limit int) (reads, previews Reader, source *words) {
		source = &words{}
		reads, previews = Remember(&pieces{reader: source, limit: maxPieceBytes}, limit)
		return reads, previews, source
	}
	read := func(t *testing.T, r Reader, p knowledge.Passage) knowledge.Extraction {
		t.Helper()
		e, err := r.Extract(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}

	t.Run("what was previewed is read once, and is the same", func(t *testing.T) {
		reads, previews, source := start(1 << 20)
		p := passage("bees like flowers and flowers like bees")
		want := read(t, reads, p)
		first := read(t, previews, p)
		first.Concepts[0].Label, first.Instances[0].Quote = "changed", "changed" // by whoever has it
		p.Place.Number = 7
		got := read(t, reads, p)
		if !reflect.DeepEqual(got, want) || len(source.passages) != 2 {
			t.Errorf("%d readings, found %+v, want %+v", len(source.passages), got, want)
		}
		if read(t, reads, p); len(source.passages) != 3 {
			t.Errorf("a reading was kept after it was taken")
		}
	})
	t.Run("another text, content type or outline is another passage", func(t *testing.T) {
		reads, previews, source := start(1 << 20)
		p := passage("bees like flowers")
		read(t, previews, p)
		for i, change := range []func(*knowledge.Passage){
			func(p *knowledge.Passage) { p.Text += "." },
			func(p *knowledge.Passage) { p.ContentType = corpus.ContentMarkdown },
			func(p *knowledge.Passage) { p.Outline = &knowledge.Outline{Hash: "other"} },
			func(p *knowledge.Passage) { p.Outline = nil },
		} {
			other := p
			change(&other)
			if read(t, reads, other); len(source.passages) != i+2 {
				t.Errorf("change %d: %d readings", i, len(source.passages))
			}
		}
	})
	t.Run("a passage without an outline, and one that could not be read, are not kept", func(t *testing.T) {
		reads, previews, source := start(1 << 20)
		p := knowledge.Passage{Text: "bees like flowers"}
		read(t, previews, p)
		if read(t, reads, p); len(source.passages) != 2 {
			t.Errorf("%d readings of a passage without an outline", len(source.passages))
		}
		p = passage("bees")
		ended, end := context.WithCancel(t.Context())
		end()
		if _, err := previews.Extract(ended, p); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if read(t, reads, p); len(source.passages) != 4 {
			t.Errorf("%d readings", len(source.passages))
		}
	})
	t.Run("keeps the first ones up to its limit, and forgets those that waited long", func(t *testing.T) {
		limit := 10 * sizeOf(read(t, &pieces{reader: &words{}, limit: maxPieceBytes}, passage("bee 00 likes flowers")))
		reads, previews, source := start(limit)
		now := time.Now()
		m := previews.(remembering).memory
		m.now = func() time.Time { return now }
		numbered := func(n int) knowledge.Passage { return passage(fmt.Sprintf("bee %02d likes flowers", n)) }
		for n := range 20 {
			read(t, previews, numbered(n))
		}
		if m.size > limit || len(m.readings) != 10 {
			t.Errorf("%d readings of %d bytes, the limit is %d", len(m.readings), m.size, limit)
		}
		before := len(source.passages)
		for n := range 5 {
			read(t, reads, numbered(n))
		}
		if len(source.passages) != before || m.size != limit/2 {
			t.Errorf("%d were read again; %d bytes are left of %d", len(source.passages)-before, m.size, limit)
		}
		now = now.Add(rememberedFor)
		for n := 30; n < 40; n++ {
			read(t, previews, numbered(n))
		}
		if before = len(source.passages); m.size != limit || len(m.readings) != 10 {
			t.Errorf("%d readings of %d bytes", len(m.readings), m.size)
		}
		for n := 30; n < 40; n++ {
			read(t, reads, numbered(n))
		}
		if len(source.passages) != before || m.size != 0 || len(m.order) != 0 {
			t.Errorf("%d were read again; %d bytes and %d places are left", len(source.passages)-before, m.size, len(m.order))
		}
	})
}
