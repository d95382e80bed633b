package secrets

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kappagraph/kappa"
)

const (
	keyBytes = 32
	mostFile = 4 << 10 // bytes of a key file
)

// readKeys returns the keys of a file, the current one first; none when there is no file.
func readKeys(path string) ([]key, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unusable(path, "cannot be read", err)
	}
	if len(text) > mostFile {
		return nil, unusable(path, "is too long for a key file", nil)
	}
	var keys []key
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		raw, err := base64.StdEncoding.DecodeString(line)
		if err != nil || len(raw) != keyBytes {
			return nil, unusable(path, "holds a line that is not a key of 32 bytes in base64, as openssl rand -base64 32 makes one", nil)
		}
		k, err := newKey(raw)
		if err != nil {
			return nil, unusable(path, "holds a key that cannot be used", err)
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return nil, unusable(path, "holds no key", nil)
	}
	return keys, nil
}

// unusable is the error of a key file. Who reads it operates the server, so that it names
// the file.
func unusable(path, what string, err error) error {
	return &kappa.Error{Code: kappa.CodeUnavailable, Message: fmt.Sprintf("The file %s, which encrypts the keys of providers and the secrets of webhooks, %s; restore it, or see KG_SECRETS_KEY_FILE", path, what), Err: err}
}

// makeKey returns a new key.
func makeKey() (key, error) {
	raw := make([]byte, keyBytes)
	_, _ = rand.Read(raw) // it never fails
	return newKey(raw)
}

// writeKeys replaces a file as a whole, or leaves it as it was.
func writeKeys(path string, keys []key) (err error) {
	var b strings.Builder
	b.WriteString("# Encrypts the keys of providers of models and the secrets of webhooks that Kappa stores. Keep it safe, and apart from backups of the database.\n")
	for _, k := range keys {
		b.WriteString(base64.StdEncoding.EncodeToString(k.raw) + "\n")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the directory of the key file: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".secrets-*") // its mode is 0600
	if err != nil {
		return fmt.Errorf("write the key file: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.WriteString(b.String())
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write the key file: %w", err)
	}
	return os.Rename(f.Name(), path)
}

// createKeys writes a file that must not be there yet: of two servers that share a
// directory, one makes it.
func createKeys(path string, k key) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temporary := path + ".new-" + rand.Text()
	if err := writeKeys(temporary, []key{k}); err != nil {
		return err
	}
	err := os.Link(temporary, path) // fails when there is one
	return errors.Join(err, os.Remove(temporary))
}
