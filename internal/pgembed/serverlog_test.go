package pgembed

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestServerLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "postgres.log")
	if err := os.WriteFile(path, []byte("of an earlier run\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	t.Run("the tail is that of this run", func(t *testing.T) {
		log, err := openLog(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer log.close()
		if log.tail() != "" {
			t.Errorf("before the first line: %q", log.tail())
		}
		for n := range 1000 {
			fmt.Fprintf(log.file, "line %d\n", n)
		}
		lines := strings.Split(log.tail(), "\n")
		if len(lines) != maxTailLines || lines[0] != "line 980" || lines[19] != "line 999" {
			t.Errorf("got %q", lines)
		}
	})
	t.Run("a large one is put aside", func(t *testing.T) {
		if err := os.Truncate(path, maxLogBytes+1); err != nil {
			t.Fatal(err)
		}
		log, err := openLog(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer log.close()
		entry, err := os.Stat(path)
		if err != nil || entry.Size() != 0 {
			t.Errorf("the new one has %d bytes, err %v", entry.Size(), err)
		}
		if _, err := os.Stat(path + ".1"); err != nil {
			t.Error(err)
		}
	})
	t.Run("a link in its place is not followed", func(t *testing.T) {
		target := filepath.Join(t.TempDir(), "target")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
		if log, err := openLog(dir); err == nil {
			log.close()
			t.Error("opened")
		}
	})
}
