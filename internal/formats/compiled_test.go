package formats

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
)

// TestCompiled_Slow reads by what was compiled, and compiles nothing anew.
func TestCompiled_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	dir := t.TempDir()
	files := func() (names []string) {
		_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				names = append(names, path)
			}
			return err
		})
		return names
	}
	if err := Compile(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	compiled := files()
	r := NewReader()
	r.EndWithProcess()
	defer r.Close(t.Context())
	if err := r.UseCompiled(dir); err != nil {
		t.Fatal(err)
	}
	d, err := r.Text(t.Context(), []byte(pdf([]string{"Glaciers are rivers of ice."})), corpus.ContentPDF)
	if err != nil || d.Text != "Glaciers are rivers of ice." {
		t.Errorf("got %q and %v", d.Text, err)
	}
	if now := files(); len(compiled) == 0 || !slices.Equal(now, compiled) {
		t.Errorf("compiled %q, then %q", compiled, now)
	}
}
