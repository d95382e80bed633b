// Package built makes the programs that tests run as processes of their own, as they are
// shipped: without the detector of races, which takes much of the memory and the time of a
// server. They stay in bin/test, where all packages that are tested find them: to link one
// takes longer than most tests.
package built

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
)

// KG returns the path of kg, which has failpoints.
func KG(ctx context.Context) (string, error) {
	return program(ctx, "kg", nil, "kg", "-tags", "failpoints")
}

// Shipped returns the path of kg with what make build puts into it. It shares most of what was
// compiled with the tests, which a program without C would not.
func Shipped(ctx context.Context) (string, error) {
	return program(ctx, "shipped", nil, "kg", "-tags", "nomsgpack")
}

// Data returns the path of kg-data, which is not in the folder of kg: a server asks it when
// KG_DATASET_BIN says so. It takes a C compiler.
func Data(ctx context.Context) (string, error) {
	return program(ctx, "kg-data", []string{"CGO_ENABLED=1"}, "kg-data")
}

// program builds a program of cmd into a folder of bin/test, unless it is there as it would be
// built.
func program(ctx context.Context, folder string, settings []string, name string, flags ...string) (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, "bin", "test", folder, name)
	unlock, err := lock(filepath.Dir(path))
	if err != nil {
		return "", fmt.Errorf("build %s: %w", name, err)
	}
	defer unlock()
	build := exec.CommandContext(ctx, "go", slices.Concat([]string{"build", "-ldflags", "-s -w", "-o", path}, flags, []string{"./cmd/" + name})...)
	build.Dir = root
	build.Env = append(os.Environ(), settings...)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	return path, nil
}

// lock makes a folder, and waits until no other process builds what is in it.
func lock(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() { _ = file.Close() }, nil // which ends the lock
}

// moduleRoot returns the folder of go.mod: this one, or one above it.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			return "", errors.New("there is no go.mod: run it in the module whose programs are to be built")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}
