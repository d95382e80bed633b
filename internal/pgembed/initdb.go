package pgembed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
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

// initData makes the data directory, with the password. It is made below another
// one and moved out of that when it is complete, so that an interrupted start
// leaves none.
func initData(ctx context.Context, cfg Config, a account, p programs, s secret) error {
	if err := removePartial(ctx, cfg.Dir); err != nil {
		return err
	}
	partial, err := os.MkdirTemp(cfg.Dir, partialPrefix)
	if err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	err = a.own(partial)
	if err == nil {
		err = s.writeVerifier(partial, a)
	}
	if err == nil {
		err = runInitdb(ctx, cfg, a, p, partial)
	}
	if err == nil {
		err = writeRules(cfg, a, filepath.Join(partial, "data"))
	}
	if err == nil {
		err = os.Rename(filepath.Join(partial, "data"), cfg.dataDir())
	}
	if err := errors.Join(err, os.RemoveAll(partial)); err != nil {
		return fmt.Errorf("make the data directory %s: %w", cfg.dataDir(), err)
	}
	if cfg.durable() {
		return syncDir(cfg.Dir)
	}
	return nil
}

// partialPrefix begins the name of the directory in which a data directory is
// being made.
const partialPrefix = "data.partial-"

// removePartial removes what interrupted starts have left. The programs of one that was
// killed may write there for some moments more, so it tries for a while.
func removePartial(ctx context.Context, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look for an interrupted start: %w", err)
	}
	limit := time.Now().Add(orphanPatience)
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), partialPrefix) {
			continue
		}
		err := os.RemoveAll(filepath.Join(dir, entry.Name()))
		for errors.Is(err, syscall.ENOTEMPTY) && ctx.Err() == nil && time.Now().Before(limit) {
			select {
			case <-ctx.Done():
			case <-time.After(orphanPause):
			}
			err = os.RemoveAll(filepath.Join(dir, entry.Name()))
		}
		if err != nil {
			return fmt.Errorf("remove what an interrupted start has left: %w", err)
		}
	}
	return nil
}

// verifierName is the file that lies beside a data directory while it is made: it
// holds what PostgreSQL keeps of the password.
const verifierName = "verifier"

// writeVerifier writes that file.
func (s secret) writeVerifier(dir string, a account) error {
	verifier, err := s.verifier()
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return writeNew(root, verifierName, verifier+"\n", a.owner(), false)
}

// runInitdb makes the data directory data in dir, a directory of the account.
func runInitdb(ctx context.Context, cfg Config, a account, p programs, dir string) error {
	where, err := a.reach(ctx, p, dir)
	if err != nil {
		return err
	}
	defer where.close()
	args := slices.Concat([]string{
		"-D", where.path + "/data",
		"--username=" + Superuser, "--encoding=UTF8", "--lc-messages=C",
		"--auth-local=scram-sha-256", "--auth-host=reject", "--pwfile=" + where.path + "/" + verifierName,
		"--data-checksums", "--no-instructions",
	}, cfg.localeArguments(ctx))
	if !cfg.durable() {
		args = append(args, "--no-sync")
	}
	return runForOutput(ctx, a.command(p, "initdb", where, args...), "initdb")
}

// localeArguments are the settings of initdb that say how text is sorted.
func (c Config) localeArguments(ctx context.Context) []string {
	if len(c.locales) > 0 {
		return c.locales
	}
	return []string{"--locale=" + locale(ctx)}
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
