// Package local is what the server and the client commands of one machine agree
// on: the address that a server has by default, the data directory, and the file
// in it that says where the running server listens.
package local

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// DefaultAddr is where a server listens that was told nothing else.
const DefaultAddr = "127.0.0.1:8000"

// urlFile is the name of the file, in the data directory.
const urlFile = "url"

// maxURL bounds what is read of the file.
const maxURL = 1000

// DataDir returns the data directory of the environment: KG_DATA_DIR, or kg below
// XDG_DATA_HOME, or below ~/.local/share. It fails when there is no home.
func DataDir(env func(string) (string, bool)) (string, error) {
	if dir, _ := env("KG_DATA_DIR"); dir != "" {
		return dir, nil
	}
	if dir, _ := env("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "kg"), nil
	}
	home, _ := env("HOME")
	if home == "" {
		return "", errors.New("KG_DATA_DIR: must be set, because there is no home directory: $HOME is not defined")
	}
	return filepath.Join(home, ".local", "share", "kg"), nil
}

// URLFile returns the path of the file below a data directory.
func URLFile(dataDir string) string { return filepath.Join(dataDir, urlFile) }

// ReadURL returns the address that a server wrote, "" when there is none.
func ReadURL(dataDir string) string {
	body, err := os.ReadFile(URLFile(dataDir))
	if err != nil || len(body) > maxURL {
		return ""
	}
	return strings.TrimSpace(string(body))
}

// WriteURL writes where the server listens. It is a convenience: a read-only data
// directory is no reason to stop.
func WriteURL(dataDir, url string) error {
	if err := os.MkdirAll(dataDir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(URLFile(dataDir), []byte(url+"\n"), 0o644)
}

// RemoveURL removes the address, unless another server with the same data
// directory has written its own since.
func RemoveURL(dataDir, url string) {
	if written, err := os.ReadFile(URLFile(dataDir)); err == nil && string(written) == url+"\n" {
		_ = os.Remove(URLFile(dataDir)) // the next start writes it anew
	}
}
