package formats

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
)

// TestSharedPDFium_Slow reads many documents in a process that somebody kills: PDFium is decoded for
// the first of them, and what one does to its sandbox is not seen in the next.
func TestSharedPDFium_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	r := NewReader()
	r.EndWithProcess()
	defer func() {
		if err := r.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	const text = "Glaciers are rivers of ice."
	reads := func() {
		t.Helper()
		d, err := r.Text(t.Context(), []byte(pdf([]string{text})), corpus.ContentPDF)
		if err != nil || d.Text != text {
			t.Errorf("got %q and %v", d.Text, err)
		}
	}
	reads()
	reads() // what is made once for all documents is there

	var before, after runtime.MemStats
	const documents, most = 20, 4 << 20 // decoding PDFium alone allocates 13 MB
	runtime.ReadMemStats(&before)
	for range documents {
		reads()
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / documents; each > most {
		t.Errorf("a short document allocates %d bytes, more than %d", each, most)
	}

	packed := strings.NewReplacer("/Root", "/R#6fot").Replace(drawn(packedBy(strings.Repeat(" ", 256<<20), "FlateDecode", "FlateDecode")))
	for name, c := range map[string]struct{ body, says string }{
		"too much memory": {packed, "MB of memory"},
		"broken":          {"%PDF-1.4\n" + strings.Repeat("[", 1<<20), "broken"},
	} {
		if _, err := r.Text(t.Context(), []byte(c.body), corpus.ContentPDF); !strings.Contains(kappa.ErrorMessage(err), c.says) {
			t.Errorf("%s: got %v", name, err)
		}
		reads()
	}
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(kappa.ErrCancelled)
	if _, err := r.Text(cancelled, []byte(pdf([]string{text})), corpus.ContentPDF); !errors.Is(err, kappa.ErrCancelled) {
		t.Errorf("cancelled: got %v", err)
	}
	reads()

	var wg sync.WaitGroup
	for range 4 * atOnce {
		wg.Go(reads)
	}
	wg.Wait()

	debug.FreeOSMemory()
	had := resident(t)
	for range documents {
		reads()
	}
	debug.FreeOSMemory()
	if left := resident(t) - had; left > 32<<20 {
		t.Errorf("%d documents left %d MB", documents, left>>20)
	}
}
