package pgembed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// dataVersion returns the major version that made the data directory, and 0
// when there is no data directory yet.
func dataVersion(dataDir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dataDir, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(dataDir); err == nil {
			return 0, fmt.Errorf("%s is not a data directory of PostgreSQL: move it away, or choose another data directory", dataDir)
		}
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the version of the data directory: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("read the version of the data directory %s: %w", dataDir, err)
	}
	return major, nil
}

// initData makes the data directory. It is made under another name and gets
// its own when it is complete, so that an interrupted start leaves none.
func initData(ctx context.Context, cfg Config, a account, p programs) error {
	if err := removePartial(cfg.Dir); err != nil {
		return err
	}
	partial, err := os.MkdirTemp(cfg.Dir, partialPrefix)
	if err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	err = a.own(partial)
	if err == nil {
		err = runInitdb(ctx, cfg, a, p, partial)
	}
	if err == nil {
		err = os.Rename(partial, cfg.dataDir())
	}
	if err != nil {
		return errors.Join(fmt.Errorf("make the data directory %s: %w", cfg.dataDir(), err), os.RemoveAll(partial))
	}
	if cfg.durable() {
		return syncDir(cfg.Dir)
	}
	return nil
}

// partialPrefix begins the name of a data directory that is being made.
const partialPrefix = "data.partial-"

// removePartial removes what interrupted starts have left.
func removePartial(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look for an interrupted start: %w", err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), partialPrefix) {
			if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
				return fmt.Errorf("remove what an interrupted start has left: %w", err)
			}
		}
	}
	return nil
}

// runInitdb fills the empty directory.
func runInitdb(ctx context.Context, cfg Config, a account, p programs, dir string) error {
	where, err := a.reach(ctx, p, dir)
	if err != nil {
		return err
	}
	defer where.close()
	args := []string{
		"--username=" + Superuser, "--encoding=UTF8", "--locale=" + locale(ctx), "--lc-messages=C",
		"--auth-local=trust", "--auth-host=reject", "--data-checksums", "--no-instructions",
	}
	if !cfg.durable() {
		args = append(args, "--no-sync")
	}
	cmd := a.command(p, "initdb", where, args...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := runProcess(ctx, cmd); err != nil {
		return &exitError{program: "initdb", err: err, log: lastLines(output.String())}
	}
	return nil
}

// locale returns C.UTF-8 where the system has it, so that text is compared
// byte by byte and letters beyond ASCII are known as letters; otherwise C.
func locale(ctx context.Context) string {
	cmd := exec.CommandContext(ctx, "locale", "-a")
	cmd.Env = environment()
	out, _ := cmd.Output() // without the program there is no such locale either
	for name := range strings.FieldsSeq(string(out)) {
		if strings.EqualFold(name, "C.UTF-8") || strings.EqualFold(name, "C.UTF8") {
			return name
		}
	}
	return "C"
}

// syncDir makes the names in a directory survive a power cut.
func syncDir(dir string) error {
	file, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	defer file.Close()
	if err := file.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	return nil
}
