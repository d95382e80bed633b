package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// config is the file of the client commands, $XDG_CONFIG_HOME/kg/config.json.
type config struct {
	APIURL       string `json:"api_url,omitempty"` // empty: the server of this machine
	CAFile       string `json:"ca_file,omitempty"` // who signed its certificate, besides the authorities of the system
	ClientID     string `json:"client_id,omitempty"`
	ClientSecret string `json:"client_secret,omitempty"`
	Username     string `json:"username,omitempty"` // who logged in
	Ontology     string `json:"ontology,omitempty"` // for kg ingest without --ontology
}

// configPath returns where the file is.
func (a *App) configPath() (string, error) {
	dir := a.getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		home := a.getenv("HOME")
		if home == "" {
			return "", errors.New("find the configuration: set HOME or XDG_CONFIG_HOME")
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "kg", "config.json"), nil
}

// readConfig reads the file; a missing one is empty.
func (a *App) readConfig() (config, error) {
	path, err := a.configPath()
	if err != nil {
		return config{}, err
	}
	body, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return config{}, nil
	}
	if err != nil {
		return config{}, fmt.Errorf("read the configuration: %w", err)
	}
	var c config
	if err := json.Unmarshal(body, &c); err != nil {
		return config{}, fmt.Errorf("read the configuration %s: %w; mend or delete it", path, err)
	}
	return c, nil
}

// writeConfig writes the file so that only its owner can read it, and so that a
// reader finds the old file or the new one, whole.
func (a *App) writeConfig(c config) error {
	path, err := a.configPath()
	if err != nil {
		return err
	}
	body, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the configuration: %w", err)
	}
	if err := replaceFile(path, append(body, '\n')); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	return nil
}

// replaceFile puts a file of mode 0600 in the place of path.
func replaceFile(path string, body []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // of mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if _, err := f.Write(body); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
