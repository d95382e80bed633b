package formats

import (
	"archive/zip"
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

// TestMain leaves out the clock that the lexers of source code have for their time
// limits: it ends by itself, after a second without one.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// archive returns a zip archive of files by their names.
func archive(files map[string]string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := w.Create(name)
		if err != nil {
			panic(err)
		}
		if _, err := f.Write([]byte(files[name])); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// read recognises a document and returns its text.
func read(t *testing.T, body string) (corpus.DocumentText, error) {
	t.Helper()
	r := NewReader()
	t.Cleanup(func() {
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	format, err := r.Recognise([]byte(body), "document", "")
	if err != nil {
		t.Fatal(err)
	}
	return r.Text(t.Context(), []byte(body), format)
}

// refused reads a document that is broken, and checks that the message says why.
func refused(t *testing.T, body, says string) {
	t.Helper()
	d, err := read(t, body)
	if kappa.ErrorCode(err) != kappa.CodeMalformed || kappa.Retryable(err) || !strings.Contains(kappa.ErrorMessage(err), says) {
		t.Errorf("got %.100q and %v, want a message that says %q", d.Text, err, says)
	}
}
