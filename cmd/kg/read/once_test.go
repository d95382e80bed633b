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
// named as the one that is here, and is not here. It ends before the next one starts.
func server(t *testing.T, ocr reading.OCR, mayRead bool, dir string, use func(r *reading.Reader)) {
	t.Helper()
	if !mayRead {
		ocr.File = "/no-such-program"
	}
	r, stop := start(t, Command, func(c *reading.Config) { c.FindOCR, c.Dir, c.Limit = found(ocr), dir, 2*time.Minute })
	defer stop()
	use(r)
}

// TestOCROnce has an image read once by all servers, until other languages are installed.
func TestOCROnce(t *testing.T) {
	eng, err := reading.FindOCR(t.Context(), fakeTesseract(t), "eng")
	if err != nil {
		t.Fatal(err)
	}
	ctx := corpus.WithKeptParts(t.Context(), &parts{})
	var want corpus.DocumentText
	server(t, eng, true, "", func(r *reading.Reader) {
		if want, err = r.Text(ctx, []byte("picture ice"), corpus.ContentPNG); err != nil || !strings.HasSuffix(want.Text, "of ice\nWasserstand") {
			t.Fatalf("read %q, %v", want.Text, err)
		}
	})
	server(t, eng, false, "", func(r *reading.Reader) {
		if got, err := r.Text(ctx, []byte("picture ice"), corpus.ContentPNG); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("taken over: %+v, %v; want %+v", got, err, want)
		}
		if _, err := r.Text(t.Context(), []byte("picture ice"), corpus.ContentPNG); err == nil {
			t.Error("the other server could have read it")
		}
	})
	german := eng
	german.Languages = "deu"
	server(t, german, true, "", func(r *reading.Reader) {
		if got, err := r.Text(ctx, []byte("picture ice"), corpus.ContentPNG); err != nil || !strings.Contains(got.Text, "-l deu") {
			t.Errorf("in another language: %q, %v", got.Text, err)
		}
	})
}

// TestReadOnceByProcesses counts the documents that processes read for two servers.
func TestReadOnceByProcesses(t *testing.T) {
	page := []byte("<html>" + strings.Repeat("<p>A glacier is a river of ice.</p>\n", 4000) + "</html>")
	ctx := corpus.WithKeptParts(t.Context(), &parts{})
	var want corpus.DocumentText
	type text = func(context.Context, []byte, corpus.ContentType) (corpus.DocumentText, error)
	read := func(tasks int64, readings ...func(*reading.Reader) text) {
		r, stop := start(t, Command, nil)
		defer stop()
		for _, text := range readings {
			got, err := text(r)(ctx, page, corpus.ContentHTML)
			if want.Text == "" {
				want = got
			}
			if err != nil || got.Text == "" || !reflect.DeepEqual(got, want) {
				t.Errorf("read %.100q, %v", got.Text, err)
			}
		}
		if n := r.Stats().Tasks; n != tasks {
			t.Errorf("read %d times, want %d", n, tasks)
		}
	}
	analysis, job := func(r *reading.Reader) text { return r.Analyses().Text }, func(r *reading.Reader) text { return r.Text }
	read(1, analysis, job)
	read(0, job, analysis)
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
	server(t, ocr, true, compiled, func(r *reading.Reader) {
		if _, err := r.Text(corpus.WithKeptParts(stopped, memory), document, corpus.ContentPDF); err == nil {
			t.Fatal("it was not stopped")
		}
	})
	ctx := corpus.WithKeptParts(t.Context(), memory)
	var want corpus.DocumentText
	server(t, ocr, true, compiled, func(r *reading.Reader) {
		if want, err = r.Text(ctx, document, corpus.ContentPDF); err != nil || strings.Count(want.Text, "stdin stdout") != 6 || len(want.Places) != 7 {
			t.Fatalf("read %q, %v", want.Text, err)
		}
	})
	server(t, ocr, false, compiled, func(r *reading.Reader) {
		if got, err := r.Text(ctx, document, corpus.ContentPDF); err != nil || !reflect.DeepEqual(got, want) || r.Stats().Tasks != 0 {
			t.Errorf("the third server read %d documents: %q, %v", r.Stats().Tasks, got.Text, err)
		}
	})
	if want := [][]int{{0}, {2, 3, 4, 5}, {6, 7}}; !reflect.DeepEqual(kept, want) {
		t.Errorf("kept %v, want %v", kept, want)
	}
}
