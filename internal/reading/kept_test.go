package reading

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/corpus"
)

// paper is a text with all that is said of one.
func paper() corpus.DocumentText {
	return corpus.DocumentText{
		Text: strings.Repeat("Wasser – 水\n", 500), Markup: corpus.ContentPlain, Warnings: []string{"Page 2 is not read:\nit hangs", ""},
		Places: []corpus.Place{{Start: 0, Page: 1}, {Start: 20, Page: 3, Section: "Ice > \"Loss\""}}, Pages: 4, Pictures: []int{2, 4},
	}
}

func TestPack(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]corpus.DocumentText{
		"all that is said": paper(), "an empty page": {Markup: corpus.ContentPlain}, "Markdown": {Text: "# Ice\n", Markup: corpus.ContentMarkdown},
	} {
		packed, ok := pack(d)
		if !ok {
			t.Fatalf("%s is not kept", name)
		}
		if got, err := unpack(packed); err != nil || !reflect.DeepEqual(got, d) {
			t.Errorf("%s became %+v, %v", name, got, err)
		}
	}
}

// TestUnpackDamaged reads what was damaged in each of its bytes, or cut: it is noticed, whatever
// is damaged.
func TestUnpackDamaged(t *testing.T) {
	t.Parallel()
	want := paper()
	packed, _ := pack(want)
	for i := range packed {
		damaged := bytes.Clone(packed)
		damaged[i] ^= 0x55
		if got, err := unpack(damaged); err == nil && !reflect.DeepEqual(got, want) { // not all of the head counts
			t.Errorf("byte %d is damaged, and the text is %+v", i, got)
		}
		if _, err := unpack(packed[:i]); err == nil {
			t.Errorf("%d of %d bytes are a text", i, len(packed))
		}
	}
}

func FuzzUnpack(f *testing.F) {
	packed, _ := pack(paper())
	f.Add(packed)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, packed []byte) {
		d, err := unpack(packed)
		if err != nil {
			return
		}
		if again, ok := pack(d); ok {
			if back, err := unpack(again); err != nil || back.Text != d.Text {
				t.Errorf("%+v became %+v, %v", d, back, err)
			}
		}
	})
}

// TestPackTooLong: what takes more room than a row has is not kept.
func TestPackTooLong(t *testing.T) {
	t.Parallel()
	noise := make([]byte, maxKept+maxKept/2) // of six bits each
	r := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[r.IntN(64)]
	}
	if packed, ok := pack(corpus.DocumentText{Text: string(noise), Markup: corpus.ContentPlain}); ok {
		t.Errorf("kept %d bytes", len(packed))
	}
	if packed, ok := pack(corpus.DocumentText{Text: strings.Repeat("ice ", maxKept), Markup: corpus.ContentPlain}); !ok || len(packed) > maxKept {
		t.Errorf("a long text that takes %d bytes is kept: %t", len(packed), ok)
	}
}

// parts keep in memory.
type parts struct {
	mu   sync.Mutex
	kept map[string]map[int][]byte
	err  error
}

func (p *parts) Parts(_ context.Context, reader string) (map[int][]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kept[reader], p.err
}

func (p *parts) Keep(_ context.Context, reader string, parts map[int][]byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept == nil {
		p.kept = map[string]map[int][]byte{}
	}
	if p.kept[reader] == nil {
		p.kept[reader] = map[int][]byte{}
	}
	maps.Copy(p.kept[reader], parts)
	return p.err
}

// counted reads documents here, and counts them.
type counted struct{ read int }

func (*counted) Prepare(context.Context, corpus.ContentType) error { return nil }

func (*counted) Recognise([]byte, string, string) (corpus.ContentType, error) {
	return corpus.ContentHTML, nil
}

func (c *counted) Text(_ context.Context, body []byte, _ corpus.ContentType) (corpus.DocumentText, error) {
	c.read++
	if len(body) == 0 {
		return corpus.DocumentText{}, errors.New("empty")
	}
	return corpus.DocumentText{Text: string(body), Markup: corpus.ContentPlain}, nil
}

// TestReadOnce counts how often a document is read.
func TestReadOnce(t *testing.T) {
	t.Parallel()
	page := bytes.Repeat([]byte("A glacier is a river of ice.\n"), keptFrom/10)
	reader := func(t *testing.T, version string) (*Reader, *counted) {
		local := &counted{}
		return New(Config{Local: local, Version: version, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}), local
	}
	read := func(t *testing.T, r *Reader, kept corpus.KeptParts, body []byte, format corpus.ContentType) {
		t.Helper()
		ctx := t.Context()
		if kept != nil {
			ctx = corpus.WithKeptParts(ctx, kept)
		}
		if d, err := r.Text(ctx, body, format); err != nil || d.Text != string(body) {
			t.Errorf("read %.30q, %v", d.Text, err)
		}
		if d, err := r.Analyses().Text(ctx, body, format); err != nil || d.Text != string(body) {
			t.Errorf("analysed %.30q, %v", d.Text, err)
		}
	}
	for name, c := range map[string]struct {
		body   []byte
		format corpus.ContentType
		second string // the version of the second reader
		kept   *parts
		harm   bool
		want   [2]int // readings by the first and the second reader
	}{
		"a page":                {page, corpus.ContentHTML, "1", &parts{}, false, [2]int{1, 0}},
		"a small PDF":           {page[:100], corpus.ContentPDF, "1", &parts{}, false, [2]int{1, 0}},
		"a page in another way": {page, corpus.ContentHTML, "2", &parts{}, false, [2]int{1, 1}},
		"what is damaged":       {page, corpus.ContentHTML, "1", &parts{}, true, [2]int{1, 1}},
		"nowhere":               {page, corpus.ContentHTML, "1", nil, false, [2]int{2, 2}},
		"where nothing is kept": {page, corpus.ContentHTML, "1", &parts{err: errors.New("away")}, false, [2]int{2, 2}},
		"a small page":          {page[:100], corpus.ContentHTML, "1", &parts{}, false, [2]int{2, 2}},
		"a text":                {page, corpus.ContentPlain, "1", &parts{}, false, [2]int{2, 2}},
		"Markdown":              {page, corpus.ContentMarkdown, "1", &parts{}, false, [2]int{2, 2}},
		"a log":                 {page, corpus.ContentLog, "1", &parts{}, false, [2]int{2, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var kept corpus.KeptParts
			if c.kept != nil {
				kept = c.kept
			}
			first, one := reader(t, "1")
			read(t, first, kept, c.body, c.format)
			if c.harm {
				for _, parts := range c.kept.kept {
					for part := range parts {
						parts[part] = parts[part][:len(parts[part])/2]
					}
				}
			}
			second, two := reader(t, c.second)
			read(t, second, kept, c.body, c.format)
			if got := [2]int{one.read, two.read}; got != c.want {
				t.Errorf("read %v times, want %v", got, c.want)
			}
		})
	}
	t.Run("the same bytes as another kind", func(t *testing.T) {
		t.Parallel()
		r, local := reader(t, "1")
		kept := &parts{}
		read(t, r, kept, page, corpus.ContentHTML)
		read(t, r, kept, page, corpus.ContentXML)
		if local.read != 2 {
			t.Errorf("read %d times, want once each", local.read)
		}
	})
	t.Run("what cannot be read", func(t *testing.T) {
		t.Parallel()
		r, local := reader(t, "1")
		kept := &parts{}
		for range 2 {
			if _, err := r.Text(corpus.WithKeptParts(t.Context(), kept), nil, corpus.ContentPDF); err == nil {
				t.Error("no error")
			}
		}
		if local.read != 2 || len(kept.kept) > 0 {
			t.Errorf("tried %d times, kept %v", local.read, kept.kept)
		}
	})
}

// TestFinder installs the program while the server runs.
func TestFinder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looked, installed := 0, false
		f := finder{find: func(ctx context.Context) (OCR, error) {
			looked++
			if ctx.Err() != nil {
				return OCR{}, ctx.Err()
			}
			if !installed {
				return OCR{}, errNoOCR
			}
			return OCR{Version: "tesseract 5"}, nil
		}}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		for range 3 { // who asks may be gone: that is not remembered
			if _, err := f.now(gone); !errors.Is(err, errNoOCR) {
				t.Errorf("got %v", err)
			}
		}
		installed = true
		if _, err := f.now(t.Context()); err == nil || looked != 1 {
			t.Errorf("looked %d times, %v", looked, err)
		}
		time.Sleep(foundFor + time.Second) // fake time
		for range 3 {
			if ocr, err := f.now(t.Context()); err != nil || ocr.Version != "tesseract 5" || looked != 2 {
				t.Errorf("found %+v, %v, after %d looks", ocr, err, looked)
			}
		}
	})
	if _, err := (&finder{}).now(t.Context()); !errors.Is(err, errNoOCR) {
		t.Errorf("without a program: %v", err)
	}
}
