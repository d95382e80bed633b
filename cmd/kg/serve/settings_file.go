package serve

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// settingsFile is what the settings file says.
type settingsFile struct {
	path   string
	values map[string]string
	lines  map[string]int // where each name stands
}

var nameForm = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// settingsPath returns where the settings file is unless it was chosen, "" when
// there is no place for it.
func settingsPath() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "kg", "serve.env")
}

// readSettingsFile reads lines of NAME=value; # starts a comment line. A missing
// file is empty unless it was asked for. An error names the line and shows nothing
// of it: it may be a secret.
func readSettingsFile(path string, required bool) (settingsFile, error) {
	f := settingsFile{path: path, values: map[string]string{}, lines: map[string]int{}}
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) && !required {
		return f, nil
	}
	if err != nil {
		return f, fmt.Errorf("read the settings file: %w", err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	return f, f.read(file)
}

// read reads the lines of the file.
func (f settingsFile) read(file io.Reader) error {
	var broken []error
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		name = strings.TrimSpace(name)
		if !ok || !nameForm.MatchString(name) {
			broken = append(broken, fmt.Errorf("%s:%d: must be NAME=value, with a name of capitals; the line is not shown, as it may be a secret", f.path, n))
			continue
		}
		f.values[name] = strings.Trim(strings.TrimSpace(value), `"'`)
		f.lines[name] = n
	}
	return errors.Join(append(broken, lines.Err())...)
}

// CheckFile returns what kg serve would say of a settings file with this text at a path: nil
// when it would start. environ has the variables of the environment, as NAME=value.
func CheckFile(path, text string, environ []string) error {
	f := settingsFile{path: path, values: map[string]string{}, lines: map[string]int{}}
	if err := f.read(strings.NewReader(text)); err != nil {
		return err
	}
	_, err := readSettings(func(name string) (string, bool) {
		for _, variable := range environ { // only what is no setting: the file is to do without
			if value, ok := strings.CutPrefix(variable, name+"="); ok && (name == "HOME" || name == "XDG_DATA_HOME") {
				return value, true
			}
		}
		return "", false
	}, f)
	return err
}

// SettingsPath returns where kg serve looks for its settings file, "" when there is no place
// for one.
func SettingsPath() string { return settingsPath() }

// at says where a name stands.
func (f settingsFile) at(name string) string { return fmt.Sprintf("%s:%d", f.path, f.lines[name]) }

// unknown reports the names that are no settings: most are spelling mistakes.
func (f settingsFile) unknown(known []string) error {
	var broken []error
	for _, name := range slices.Sorted(maps.Keys(f.values)) {
		if slices.Contains(known, name) {
			continue
		}
		switch near := nearest(name, known); {
		case near != "":
			broken = append(broken, fmt.Errorf("%s: no such setting as %s; did you mean %s?", f.at(name), name, near))
		case strings.HasPrefix(name, "KG_"):
			broken = append(broken, fmt.Errorf("%s: no such setting as %s", f.at(name), name))
		default:
			broken = append(broken, fmt.Errorf("%s: no such setting; the line is not shown, as it may be a secret", f.at(name)))
		}
	}
	return errors.Join(broken...)
}
