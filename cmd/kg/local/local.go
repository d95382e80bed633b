// Package local is what the server and the client commands of one machine agree
// on: the address that a server has by default, the data directory, and the file
// in it that says where the running server listens.
package local

import (
	"errors"
	"path/filepath"
)

// DefaultAddr is where a server listens by default.
const DefaultAddr = "127.0.0.1:8000"

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
