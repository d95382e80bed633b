package index

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// fill makes an index with one file, and returns its name and its bytes.
func fill(t *testing.T, dir string) (name string, p []byte) {
	t.Helper()
	x := openIn(t, dir, "here")
	var entries []Entry
	for i := range int32(30) {
		entries = append(entries, entry(i+1, fmt.Sprintf("passage %d of a river by house %d", i, i%5)))
	}
	if err := x.Apply(entries, nil); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"+fileEnding))
	if err != nil || len(names) != 1 {
		t.Fatalf("files %v, %v", names, err)
	}
	if p, err = os.ReadFile(names[0]); err != nil {
		t.Fatal(err)
	}
	return names[0], p
}

func openIn(t *testing.T, dir, origin string) *Index {
	t.Helper()
	x, err := Open(dir, origin, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestDamage opens files of which one byte differs, and files that end early: they are thrown
// away, whichever byte it is.
func TestDamage(t *testing.T) {
	name, whole := fill(t, t.TempDir())
	f := &folder{dir: filepath.Dir(name), origin: "here", log: slog.New(slog.DiscardHandler)}
	if _, err := openSegment(slices.Clone(whole)); err != nil {
		t.Fatalf("the whole file: %v", err)
	}
	for i := range whole {
		damaged := slices.Clone(whole)
		damaged[i] ^= 1 << (i % 8)
		if _, err := openSegment(damaged); err == nil {
			t.Fatalf("byte %d of %d differs: it was opened", i, len(whole))
		}
		if _, err := openSegment(whole[:i:i]); err == nil {
			t.Fatalf("only %d of %d bytes are there: it was opened", i, len(whole))
		}
	}
	for _, size := range []int{0, 1, tailSize, len(whole) / 2, len(whole) - 1} {
		if err := os.WriteFile(name, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		if segments, err := f.segments(); err != nil || len(segments) != 0 {
			t.Fatalf("%d bytes: %v segments, %v", size, segments, err)
		}
		if _, err := os.Stat(name); err == nil {
			t.Fatalf("%d bytes: the file is still there", size)
		}
	}
}

func TestThrownAway(t *testing.T) {
	for _, c := range []struct {
		name string
		harm func(t *testing.T, dir, name string, p []byte)
		want int
	}{
		{"nothing", func(*testing.T, string, string, []byte) {}, 30},
		{"a copy", func(t *testing.T, dir, _ string, p []byte) { write(t, filepath.Join(dir, fileName(9)), p) }, 30},
		{"an unfinished file", func(t *testing.T, dir, _ string, p []byte) {
			write(t, filepath.Join(dir, fileName(9)+unfinishedEnding), p)
		}, 30},
		{"a foreign file", func(t *testing.T, dir, _ string, _ []byte) {
			write(t, filepath.Join(dir, fileName(9)), []byte("foreign"))
		}, 30},
		{"one merged into another", func(t *testing.T, dir, name string, p []byte) {
			x := openIn(t, dir, "here")
			x.least = 1
			mergeAll(t, x)
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			write(t, name, p) // it was not removed in time
		}, 30},
		{"passages that two files have", func(t *testing.T, dir, _ string, _ []byte) {
			other := t.TempDir()
			x := openIn(t, other, "here")
			x.number = 100
			if err := x.Apply([]Entry{entry(1, "other"), entry(2, "other"), entry(99, "other")}, nil); err != nil {
				t.Fatal(err)
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			names, _ := filepath.Glob(filepath.Join(other, "*"+fileEnding))
			p, err := os.ReadFile(names[0])
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, filepath.Base(names[0])), p)
		}, 29},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			name, p := fill(t, dir)
			c.harm(t, dir, name, p)
			x := openIn(t, dir, "here")
			defer x.Close()
			held := 0
			x.Held(func(int32, int32, int32, int32, int32) { held++ })
			if held != c.want || x.View().Passages() != c.want {
				t.Errorf("%d held, %d found, want %d", held, x.View().Passages(), c.want)
			}
		})
	}
	t.Run("another database", func(t *testing.T) {
		dir := t.TempDir()
		fill(t, dir)
		x := openIn(t, dir, "there")
		defer x.Close()
		if n := x.View().Passages(); n != 0 {
			t.Errorf("%d passages of another database", n)
		}
	})
}

func write(t *testing.T, name string, p []byte) {
	t.Helper()
	if err := os.WriteFile(name, p, 0o600); err != nil {
		t.Fatal(err)
	}
}

func mergeAll(t *testing.T, x *Index) {
	t.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	for x.busy {
		x.merged.Wait()
	}
	if err := x.merge(slices.Clone(x.view.Load().parts), func() bool { return false }); err != nil {
		t.Fatal(err)
	}
}

func TestLocked(t *testing.T) {
	dir := t.TempDir()
	x := openIn(t, dir, "here")
	if _, err := Open(dir, "here", slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a second index has the folder")
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	openIn(t, dir, "here").Close()
}

// TestLong has words and passages that are longer than most.
func TestLong(t *testing.T) {
	long := make([]byte, 1<<17)
	for i := range long {
		long[i] = 'a' + byte(i%7)
	}
	x := openIn(t, "", "")
	e := Entry{ID: 1, Text: words.Text{Words: []words.Word{{Text: string(long), Stem: string(long)}}}}
	for range 70_000 {
		e.Text.Words = append(e.Text.Words, words.Word{Text: "again", Stem: "again"})
	}
	if err := x.Apply([]Entry{e}, nil); err != nil {
		t.Fatal(err)
	}
	got, err := x.View().Candidates(t.Context(), Query{Terms: []Term{{Texts, string(long), 1}}, Limit: 1})
	if err != nil || len(got) != 1 {
		t.Fatalf("%v, %v", got, err)
	}
	var p Passage
	x.View().Read(&got[0], &p)
	if len(p.Words) != 70_001 || p.Words[0].Text != string(long) {
		t.Errorf("%d words", len(p.Words))
	}
}
