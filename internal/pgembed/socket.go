package pgembed

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	// port is no port, but part of the socket's name.
	port = "5432"
	// maxSocketPath is the longest path of a unix socket that every system
	// takes: 107 bytes on Linux, 103 on macOS.
	maxSocketPath = 103
)

// makeSocketDir makes the directory of the socket, which only the account and
// root can enter. It is run/ in the cluster's directory, or a directory in the
// system's place for temporary files when that path is too long for a socket
// or cannot be reached by the account.
func makeSocketDir(ctx context.Context, cfg Config, a account, p programs) (string, error) {
	uid, gid := a.fileOwner()
	if dir := filepath.Join(cfg.Dir, "run"); fitsSocket(dir) {
		if err := os.RemoveAll(dir); err != nil {
			return "", fmt.Errorf("remove the old socket directory: %w", err)
		}
		if err := mkdirFor(dir, uid, gid); err != nil {
			return "", err
		}
		if a.enter(ctx, p, dir) == nil {
			return dir, nil
		}
	}
	for _, parent := range []string{os.TempDir(), "/tmp"} {
		dir := filepath.Join(parent, shortName(cfg.Dir))
		if !fitsSocket(dir+"0123456789") || a.enter(ctx, p, parent) != nil {
			continue
		}
		return makeTempSocketDir(parent, dir, uid, gid)
	}
	return "", fmt.Errorf("find a place for the socket: the paths of %s and of the temporary directory %s are too long or closed to %s: choose a shorter data directory",
		cfg.Dir, os.TempDir(), a.name)
}

// shortName is the same for the same cluster, so that a start after a crash
// finds and removes what was left.
func shortName(dir string) string {
	return fmt.Sprintf("kg-%x", sha256.Sum256([]byte(dir)))[:15]
}

// makeTempSocketDir makes dir, or a directory with a random name beside it
// when somebody else made dir before us.
func makeTempSocketDir(parent, dir string, uid, gid int) (string, error) {
	if owner, exists, _ := ownerOf(dir); exists && (owner.uid == uid || owner.uid == os.Geteuid()) {
		if err := os.RemoveAll(dir); err != nil {
			return "", fmt.Errorf("remove the old socket directory: %w", err)
		}
	}
	if err := mkdirFor(dir, uid, gid); err == nil {
		return dir, nil
	}
	random, err := os.MkdirTemp(parent, filepath.Base(dir))
	if err != nil {
		return "", fmt.Errorf("make the socket directory: %w", err)
	}
	if err := os.Chown(random, uid, gid); err != nil {
		return "", fmt.Errorf("make the socket directory: %w", err)
	}
	return random, nil
}

// mkdirFor makes a directory of its own for a user. It fails when there is one.
func mkdirFor(dir string, uid, gid int) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		return nil
	}
	return os.Chown(dir, uid, gid)
}

// fitsSocket reports whether a socket in dir can be named: short enough for
// the kernel, and without the comma that separates hosts in a DSN.
func fitsSocket(dir string) bool {
	return len(filepath.Join(dir, ".s.PGSQL."+port)) <= maxSocketPath && !strings.Contains(dir, ",")
}

// quoteSetting quotes one element of a setting that is a list.
func quoteSetting(s string) string {
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// quoteDSN quotes a value of a DSN.
func quoteDSN(s string) string {
	return `'` + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + `'`
}
