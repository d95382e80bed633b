package pgembed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// inheritedDir is how a child names the first file that it inherits beside
// its standard ones, when that file is a directory. Only Linux has it.
const inheritedDir = "/proc/self/fd/3"

// reached is a directory as the account that runs PostgreSQL names it.
//
// Root's home is closed to all others, and the cluster of root is below it by
// default. PostgreSQL runs as another user then, which can enter its own data
// directory, but none of its parents. So root opens the directory and lets the
// programs inherit it: /proc/self/fd/3 leads to it without a look at the
// parents, in postgres and in all its children.
type reached struct {
	path string
	file *os.File // inherited by the programs; nil when path is the real path
}

// reach finds out how the account gets to dir.
func (a account) reach(ctx context.Context, p programs, dir string) (reached, error) {
	err := a.enter(ctx, p, dir)
	if err == nil {
		return reached{path: dir}, nil
	}
	if !errors.Is(err, syscall.EACCES) {
		return reached{}, fmt.Errorf("enter %s as %s: %w", dir, a.name, err)
	}
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		return reached{}, fmt.Errorf("%s cannot enter %s: open its parent directories to that user, or choose another data directory", a.name, dir)
	}
	file, err := os.Open(dir)
	if err != nil {
		return reached{}, fmt.Errorf("open %s for %s: %w", dir, a.name, err)
	}
	return reached{path: inheritedDir, file: file}, nil
}

// command prepares a program that works on the directory as the account; its
// arguments name the directory by its path. Close the directory when the program has started.
func (a account) command(p programs, name string, dir reached, args ...string) *exec.Cmd {
	cmd := exec.Command(p.path(name), args...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = "/", environment(), a.attributes()
	if dir.file != nil {
		cmd.ExtraFiles = []*os.File{dir.file}
	}
	return cmd
}

func (r reached) close() {
	if r.file != nil {
		r.file.Close()
	}
}
