//go:build linux

package read

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/formats"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/reading"
)

// parts keep what was read of one document in memory, as the database does: one reader's of each.
type parts struct {
	mu   sync.Mutex
	kept map[int][]byte
	by   map[int]string
	last func(parts []int) // called with what has been kept; may be nil
}

func (p *parts) Parts(_ context.Context, reader string) (map[int][]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	theirs := map[int][]byte{}
	for part, body := range p.kept {
		if p.by[part] == reader {
			theirs[part] = body
		}
	}
	return theirs, nil
}

func (p *parts) Keep(_ context.Context, reader string, parts map[int][]byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept == nil {
		p.kept, p.by = map[int][]byte{}, map[int]string{}
	}
	for part, body := range parts {
		p.kept[part], p.by[part] = body, reader
	}
	if p.last != nil {
		p.last(slices.Sorted(maps.Keys(parts)))
	}
	return nil
}

// server is a Reader as another server has one. Where it may not read pictures, its program is
// named as the one that is here, and is not here.
func server(t *testing.T, ocr reading.OCR, mayRead bool, dir string) *reading.Reader {
	t.Helper()
	if !mayRead {
		ocr.File = "/no-such-program"
	}
	r, _ := start(t, Command, func(c *reading.Config) { c.FindOCR, c.Dir, c.Limit = found(ocr), dir, 2*time.Minute })
	return r
}

// TestOCROnce has an image read once by all servers, until other languages are installed.
func TestOCROnce(t *testing.T) {
	eng, err := reading.FindOCR(t.Context(), fakeTesseract(t), "eng")
	if err != nil {
		t.Fatal(err)
	}
	ctx := corpus.WithKeptParts(t.Context(), &parts{})
	want, err := server(t, eng, true, "").Text(ctx, []byte("picture ice"), corpus.ContentPNG)
	if err != nil || !strings.HasSuffix(want.Text, "of ice\nWasserstand") {
		t.Fatalf("read %q, %v", want.Text, err)
	}
	other := server(t, eng, false, "")
	if got, err := other.Text(ctx, []byte("picture ice"), corpus.ContentPNG); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("taken over: %+v, %v; want %+v", got, err, want)
	}
	if _, err := other.Text(t.Context(), []byte("picture ice"), corpus.ContentPNG); err == nil {
		t.Error("the other server could have read it")
	}
	german := eng
	german.Languages = "deu"
	if got, err := server(t, german, true, "").Text(ctx, []byte("picture ice"), corpus.ContentPNG); err != nil || !strings.Contains(got.Text, "-l deu") {
		t.Errorf("in another language: %q, %v", got.Text, err)
	}
}

// TestReadOnceByProcesses counts the documents that processes read for two servers.
func TestReadOnceByProcesses(t *testing.T) {
	page := []byte("<html>" + strings.Repeat("<p>A glacier is a river of ice.</p>\n", 4000) + "</html>")
	ctx := corpus.WithKeptParts(t.Context(), &parts{})
	first, _ := start(t, Command, nil)
	second, _ := start(t, Command, nil)
	var texts [4]corpus.DocumentText
	for i, read := range []func(context.Context, []byte, corpus.ContentType) (corpus.DocumentText, error){
		first.Analyses().Text, first.Text, second.Text, second.Analyses().Text,
	} {
		var err error
		if texts[i], err = read(ctx, page, corpus.ContentHTML); err != nil || !reflect.DeepEqual(texts[i], texts[0]) || texts[i].Text == "" {
			t.Errorf("reading %d: %.100q, %v", i, texts[i].Text, err)
		}
	}
	if a, b := first.Stats().Tasks, second.Stats().Tasks; a != 1 || b != 0 {
		t.Errorf("read %d and %d times, want 1 and 0", a, b)
	}
}

// TestScanOnce_Slow stops a job between the pictures of a PDF: another server reads what is left, and
// a third one nothing.
func TestScanOnce_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	here := formats.NewReader()
	defer here.Close(t.Context())
	picture := scanned(t, here, "A glacier is a river of ice.")
	document := paper("The first page has letters.", picture, picture, picture, picture, picture, picture)
	ocr, err := reading.FindOCR(t.Context(), fakeTesseract(t), "eng")
	if err != nil {
		t.Fatal(err)
	}
	compiled := compiledDir(t)
	stopped, stop := context.WithCancel(t.Context())
	var kept [][]int
	memory := &parts{last: func(parts []int) {
		kept = append(kept, parts)
		if len(kept) == 2 {
			stop()
		}
	}}
	if _, err := server(t, ocr, true, compiled).Text(corpus.WithKeptParts(stopped, memory), document, corpus.ContentPDF); err == nil {
		t.Fatal("it was not stopped")
	}
	ctx := corpus.WithKeptParts(t.Context(), memory)
	want, err := server(t, ocr, true, compiled).Text(ctx, document, corpus.ContentPDF)
	if err != nil || strings.Count(want.Text, "stdin stdout") != 6 || len(want.Places) != 7 {
		t.Fatalf("read %q, %v", want.Text, err)
	}
	third := server(t, ocr, false, compiled)
	if got, err := third.Text(ctx, document, corpus.ContentPDF); err != nil || !reflect.DeepEqual(got, want) || third.Stats().Tasks != 0 {
		t.Errorf("the third server read %d documents: %q, %v", third.Stats().Tasks, got.Text, err)
	}
	if want := [][]int{{0}, {2, 3, 4, 5}, {6, 7}}; !reflect.DeepEqual(kept, want) {
		t.Errorf("kept %v, want %v", kept, want)
	}
}
