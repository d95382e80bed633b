package files

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/datasets"
)

// made writes a file of so many bytes under a name.
func made(t *testing.T, f *Files, name string, size int) (*File, error) {
	t.Helper()
	m, err := f.Create()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"PAR1", strings.Repeat("x", size-12), "\x00\x00\x00\x00PAR1"} {
		if _, err := m.Write([]byte(part)); err != nil {
			m.Abandon()
			return nil, err
		}
	}
	return m.Finish(name)
}

func TestMade(t *testing.T) {
	f, web := newFiles(t, func(c *Config) { c.Quota, c.MaxFile = 4<<20, 3<<20 })
	onDisk := func() int {
		t.Helper()
		list, err := os.ReadDir(f.Dir())
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	first, err := made(t, f, "a", 1000)
	if err != nil || first.Size != 1000 || f.Used() != 1000 {
		t.Fatalf("%+v, %v, %d bytes", first, err, f.Used())
	}
	t.Run("it is found by its name, and stays when it is closed", func(t *testing.T) {
		first.Close()
		again := f.Made("a")
		if again == nil || again.Path != first.Path || f.Made("b") != nil {
			t.Fatalf("found %+v", again)
		}
		again.Close()
	})
	t.Run("no URL leads to it", func(t *testing.T) {
		if file, err := f.Open(t.Context(), "a"); err == nil {
			t.Errorf("opened %s", file.Path)
		}
		if web.bytes.Load() != 0 {
			t.Error("something was fetched")
		}
	})
	t.Run("one that is dropped goes with its last user", func(t *testing.T) {
		use := f.Made("a")
		more := use.Again()
		f.Drop("a")
		use.Close()
		if f.Made("a") != nil || onDisk() != 1 {
			t.Errorf("it is found, or %d files are there, want 1", onDisk())
		}
		if more.Close(); onDisk() != 0 || f.Used() != 0 {
			t.Errorf("%d files are left, %d bytes", onDisk(), f.Used())
		}
		f.Drop("a")
	})
	t.Run("the quota takes those that nobody uses, and refuses beside those in use", func(t *testing.T) {
		used, err := made(t, f, "used", 2<<20)
		if err != nil {
			t.Fatal(err)
		}
		idle, err := made(t, f, "idle", 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		idle.Close()
		next, err := made(t, f, "next", 3<<19)
		if err != nil || f.Made("idle") != nil {
			t.Fatalf("%v; the idle one is there: %v", err, f.Made("idle") != nil)
		}
		_, err = made(t, f, "more", 2<<20)
		if full, ok := errors.AsType[*datasets.Error](err); !ok || full.Type != datasets.ErrMemory || onDisk() != 2 {
			t.Errorf("%v, %d files", err, onDisk())
		}
		used.Close()
		next.Close()
	})
	t.Run("one that is too large is refused", func(t *testing.T) {
		if _, err := made(t, f, "large", 4<<20); kappa.ErrorCode(err) != kappa.CodeTooLarge {
			t.Errorf("%v", err)
		}
	})
}
