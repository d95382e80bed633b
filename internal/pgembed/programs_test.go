package pgembed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// fakePrograms makes an installation of PostgreSQL whose postgres tells the
// version and whose initdb is the given shell script.
func fakePrograms(t *testing.T, version, initdb string) string {
	t.Helper()
	dir := tempDirIn(t, "") // what is in memory may be closed to programs
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{
		"postgres": "echo 'postgres (PostgreSQL) " + version + "'",
		"initdb":   initdb,
	} {
		writeProgram(t, filepath.Join(dir, name), "#!/bin/sh\n"+script+"\n")
	}
	return dir
}

// writeProgram writes a script that can be started.
func writeProgram(t *testing.T, path, script string) {
	t.Helper()
	// A program that another test starts meanwhile would hold the file open for writing,
	// and nobody could start that (golang.org/issue/22315).
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	t.Run("missing ones are named, with what to do", func(t *testing.T) {
		_, err := Start(t.Context(), Config{Dir: tempDir(t), BinDir: t.TempDir()})
		if !errors.Is(err, ErrNoPrograms) {
			t.Errorf("got %v", err)
		}
		err = noProgramsError(nil, 0)
		for _, part := range []string{"PATH, /usr/lib/postgresql/*/bin", InstallCommand(), "KG_PG_BIN", "DATABASE_URL"} {
			if !errors.Is(err, ErrNoPrograms) || !strings.Contains(err.Error(), part) {
				t.Errorf("%q is not in: %v", part, err)
			}
		}
	})
	t.Run("too old ones are named", func(t *testing.T) {
		bin := fakePrograms(t, "14.2 (Debian 14.2-1)", "exit 1")
		_, err := Start(t.Context(), Config{Dir: tempDir(t), BinDir: bin})
		if !errors.Is(err, ErrNoPrograms) || !strings.Contains(err.Error(), "14 in "+bin) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the data directory of another version is refused", func(t *testing.T) {
		dir := tempDir(t)
		if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "data", "PG_VERSION"), []byte("16\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Start(t.Context(), Config{Dir: dir, BinDir: fakePrograms(t, "17.1", "exit 1")})
		version, ok := errors.AsType[*VersionError](err)
		if !ok || version.Major != 16 || version.Dir != filepath.Join(dir, "data") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("among several the one of the data directory is taken", func(t *testing.T) {
		found := []programs{{"/seventeen", 17}, {"/sixteen", 16}, {"/fourteen", 14}}
		for want, dir := range map[int]string{0: "/seventeen", 16: "/sixteen"} {
			if p, ok := pick(found, want); !ok || p.dir != dir {
				t.Errorf("for version %d: %v", want, p)
			}
		}
		if p, ok := pick(found, 18); ok {
			t.Errorf("for version 18: %v", p)
		}
	})
}

func TestInitData(t *testing.T) {
	t.Parallel()
	t.Run("one that fails half-way leaves nothing", func(t *testing.T) {
		dir := tempDir(t)
		bin := fakePrograms(t, "15.1", `touch "$2/PG_VERSION"; mkdir "$2/base"; echo 'no space left'; exit 1`)
		_, err := Start(t.Context(), Config{Dir: dir, BinDir: bin})
		if err == nil || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("got %v", err)
		}
		for _, pattern := range []string{"data", partialPrefix + "*"} {
			if left, _ := filepath.Glob(filepath.Join(dir, pattern)); len(left) != 0 {
				t.Errorf("left over: %v", left)
			}
		}
	})
	t.Run("what an interrupted start has left is removed", func(t *testing.T) {
		dir := tempDir(t)
		if err := os.MkdirAll(filepath.Join(dir, partialPrefix+"1", "base"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := removePartial(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("left over: %v", left)
		}
	})
	t.Run("what is written yet by the programs of a start that was killed is removed", func(t *testing.T) {
		dir := tempDir(t)
		base := filepath.Join(dir, partialPrefix+"1", "base")
		if err := os.MkdirAll(base, 0o700); err != nil {
			t.Fatal(err)
		}
		dying, end := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer end()
		var programs sync.WaitGroup
		for program := range 4 {
			programs.Go(func() {
				for n := 0; dying.Err() == nil; n++ {
					_ = os.WriteFile(filepath.Join(base, fmt.Sprintf("%d-%d", program, n)), nil, 0o600) // until the directory has gone
				}
			})
		}
		err := removePartial(t.Context(), dir)
		programs.Wait()
		if left, _ := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("left over: %v, %v", left, err)
		}
	})
	t.Run("a directory that is something else is not touched", func(t *testing.T) {
		dir := tempDir(t)
		file := filepath.Join(dir, "data", "thesis.txt")
		if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Start(t.Context(), testConfig(dir)); err == nil {
			t.Error("started")
		}
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	})
}

func TestParseVersion(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]int{
		"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n": 15,
		"postgres (PostgreSQL) 19beta2":                          19,
		"postgres (PostgreSQL) ":                                 0,
		"postgres (Other) 15.1":                                  0,
		"":                                                       0,
	} {
		got, err := parseVersion(answer)
		if got != want || (err == nil) != (want != 0) {
			t.Errorf("%q: %d, %v, want %d", answer, got, err, want)
		}
	}
}
