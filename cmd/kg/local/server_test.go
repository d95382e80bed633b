package local

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestWriteAndRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	first, second := NewServer("http://127.0.0.1:1"), NewServer("http://127.0.0.1:1")
	if first.Proof("nonce") == second.Proof("nonce") {
		t.Error("two servers have one key")
	}
	for _, s := range []Server{first, second} {
		if err := s.Write(dir); err != nil {
			t.Fatal(err)
		}
		if got, err := Read(dir); err != nil || got != s {
			t.Errorf("read %+v, %v", got, err)
		}
	}
	stat, err := os.Stat(URLFile(dir))
	if err != nil || stat.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", stat.Mode(), err)
	}
	first.Remove(dir)
	if _, err := Read(dir); err != nil {
		t.Errorf("the first server removed the file of the second: %v", err)
	}
	second.Remove(dir)
	if _, err := Read(dir); !errors.Is(err, ErrNoServer) {
		t.Errorf("after the stop: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestWriteFollowsNoLink has somebody put a link where the file is to be.
func TestWriteFollowsNoLink(t *testing.T) {
	dir, target := t.TempDir(), filepath.Join(t.TempDir(), "precious")
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(target, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, URLFile(dir)); err != nil {
		t.Fatal(err)
	}
	s := NewServer("http://127.0.0.1:1")
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	if body, err := os.ReadFile(target); err != nil || string(body) != "kept" {
		t.Errorf("the link was followed: %q, %v", body, err)
	}
	if got, err := Read(dir); err != nil || got != s {
		t.Errorf("read %+v, %v", got, err)
	}
}

func TestWriteRefusesADirectoryOfEverybody(t *testing.T) {
	for _, mode := range []os.FileMode{0o777, 0o775, 0o777 | os.ModeSticky} {
		dir := t.TempDir()
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if err := NewServer("http://127.0.0.1:1").Write(dir); err == nil {
			t.Errorf("it wrote to a directory of mode %s", mode)
		}
	}
}
