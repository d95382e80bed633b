package pgembed

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	// secretName is the file of the password, in the cluster's directory. It is
	// such a file as PGPASSFILE names, so that psql and pg_dump read it as well.
	secretName   = "pgpass"
	secretPrefix = "*:*:*:" + Superuser + ":"
	maxSecret    = 1000
)

// secret is the password of [Superuser]. It is made at random and has more than
// 256 bits, of letters and digits alone. Nobody is shown it: whoever needs it
// reads the file, and an address of the database names that.
type secret string

// errNoSecret reports that there is no password, or one that others may know.
var errNoSecret = errors.New("there is no password")

// secretFile is where the password is kept.
func (c Config) secretFile() string { return filepath.Join(c.Dir, secretName) }

// openSecret returns the password of the cluster, and whether it was made now:
// then PostgreSQL has not been given it yet.
func openSecret(cfg Config) (s secret, isNew bool, err error) {
	s, err = readSecret(cfg.secretFile())
	if !errors.Is(err, errNoSecret) {
		return s, false, err
	}
	s = secret(rand.Text() + rand.Text())
	return s, true, s.write(cfg)
}

// readSecret reads the password. It returns errNoSecret when there is none, or
// one that others can have read or written.
func readSecret(path string) (secret, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ELOOP) {
		return "", errNoSecret
	}
	if err != nil {
		return "", fmt.Errorf("read the password of the private postgres cluster: %w", err)
	}
	defer file.Close()
	entry, err := file.Stat()
	if err != nil {
		return "", fmt.Errorf("read the password of the private postgres cluster: %w", err)
	}
	if !entry.Mode().IsRegular() || entry.Mode().Perm()&0o077 != 0 {
		return "", errNoSecret
	}
	text, err := io.ReadAll(io.LimitReader(file, maxSecret))
	if err != nil {
		return "", fmt.Errorf("read the password of the private postgres cluster: %w", err)
	}
	line, _, ended := bytes.Cut(text, []byte("\n"))
	password, ok := strings.CutPrefix(string(line), secretPrefix)
	if !ok || !ended || len(password) != len(rand.Text())*2 {
		return "", errNoSecret // such as after a power cut
	}
	return secret(password), nil
}

// write replaces the file of the password, so that a reader finds the old one or
// the new one, whole.
func (s secret) write(cfg Config) error {
	home, err := os.OpenRoot(cfg.Dir)
	if err != nil {
		return fmt.Errorf("keep the password of the private postgres cluster: %w", err)
	}
	defer home.Close()
	owner, _, err := ownerOf(cfg.Dir)
	if err == nil {
		err = replaceFile(home, secretName, secretPrefix+string(s)+"\n", owner, cfg.durable())
	}
	if err != nil {
		return fmt.Errorf("keep the password of the private postgres cluster: %w", err)
	}
	return nil
}

// forgetSecret removes the password, which is not the one that PostgreSQL has. The
// next start makes another one.
func forgetSecret(cfg Config) error {
	if err := os.Remove(cfg.secretFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove a password that is wrong: %w", err)
	}
	return nil
}
