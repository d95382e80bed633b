package pgembed

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMakeTempSocketDir(t *testing.T) {
	t.Parallel()
	parent := tempDir(t)
	dir := filepath.Join(parent, "kg-1234")
	uid, gid := os.Geteuid(), os.Getegid()
	t.Run("what a crash has left is cleared", func(t *testing.T) {
		if err := os.MkdirAll(filepath.Join(dir, "old"), 0o755); err != nil {
			t.Fatal(err)
		}
		got, err := makeTempSocketDir(parent, dir, uid, gid)
		if err != nil || got != dir {
			t.Fatalf("%s, %v", got, err)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("left over: %v", left)
		}
	})
	t.Run("a link is removed, not followed", func(t *testing.T) {
		target := t.TempDir()
		if err := os.WriteFile(filepath.Join(target, "precious"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(parent, "kg-link")
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		got, err := makeTempSocketDir(parent, link, uid, gid)
		if err != nil {
			t.Fatal(err)
		}
		entry, err := os.Lstat(got)
		if err != nil || !entry.IsDir() || entry.Mode().Perm() != 0o700 {
			t.Errorf("%v, %v", entry, err)
		}
		if _, err := os.Stat(filepath.Join(target, "precious")); err != nil {
			t.Error(err)
		}
	})
	t.Run("one that somebody else has made is not used", func(t *testing.T) {
		foreign := "/usr" // root's
		if uid == 0 {
			foreign = dir
			if err := os.Chown(dir, 12345, 12345); err != nil {
				t.Logf("there is nobody else: %v", err)
				return
			}
		}
		got, err := makeTempSocketDir(parent, foreign, uid, gid)
		if err != nil || got == foreign || filepath.Dir(got) != parent {
			t.Errorf("%s, %v", got, err)
		}
	})
}

func TestFitsSocket(t *testing.T) {
	t.Parallel()
	for dir, want := range map[string]bool{
		"/" + strings.Repeat("a", 88): true,
		"/" + strings.Repeat("a", 89): false,
		"/a,b":                        false,
	} {
		if fitsSocket(dir) != want {
			t.Errorf("%s: %v, want %v", dir, !want, want)
		}
	}
}
