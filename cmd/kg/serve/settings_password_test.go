package serve

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAdminPasswordFile reads the first password from a file.
func TestAdminPasswordFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		check(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	for name, c := range map[string]struct {
		settings   map[string]string
		want, fail string
	}{
		"the first line of the file":     {map[string]string{"KG_ADMIN_PASSWORD_FILE": file("unix", " correct horse battery\nmore\n")}, " correct horse battery", ""},
		"as another system writes lines": {map[string]string{"KG_ADMIN_PASSWORD_FILE": file("dos", "correct horse battery\r\n")}, "correct horse battery", ""},
		"the environment wins":           {map[string]string{"KG_ADMIN_PASSWORD": "of the environment ", "KG_ADMIN_PASSWORD_FILE": file("both", "of the file")}, "of the environment ", ""},
		"neither":                        {map[string]string{}, "", ""},
		"no such file":                   {map[string]string{"KG_ADMIN_PASSWORD_FILE": filepath.Join(dir, "none")}, "", "KG_ADMIN_PASSWORD_FILE: must be a file that can be read"},
		"an empty file":                  {map[string]string{"KG_ADMIN_PASSWORD_FILE": file("empty", "\n")}, "", "KG_ADMIN_PASSWORD_FILE: its first line is empty"},
	} {
		c.settings["KG_DATA_DIR"] = dir
		s, err := readSettings(func(name string) (string, bool) {
			value, ok := c.settings[name]
			return value, ok
		}, settingsFile{})
		if c.fail != "" {
			if err == nil || !strings.Contains(err.Error(), c.fail) {
				t.Errorf("%s: got %v, want %q in it", name, err, c.fail)
			}
			continue
		}
		check(t, err)
		if got, err := s.adminPassword(); err != nil || got != c.want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, c.want)
		}
	}
}
