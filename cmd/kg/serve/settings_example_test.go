package serve

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

const examplePath = "../../../deploy/kappa.env.example"

// TestSettingsExample wants deploy/kappa.env.example to be what the table says (-update
// writes it), and every line of it to be a setting that is what it would be without it.
func TestSettingsExample(t *testing.T) {
	want := example(new(Settings).table())
	if *update {
		check(t, os.WriteFile(examplePath, []byte(want), 0o644))
	}
	got, err := os.ReadFile(examplePath)
	check(t, err)
	if string(got) != want {
		t.Fatalf("%s is not current: go test -run '^TestSettingsExample$' ./cmd/kg/serve -update", examplePath)
	}
	path := filepath.Join(t.TempDir(), "kappa.env")
	heeded := regexp.MustCompile(`(?m)^#([A-Z])`).ReplaceAllString(want, "$1")
	check(t, os.WriteFile(path, []byte(heeded), 0o600))
	file, err := readSettingsFile(path, true)
	check(t, err)
	lookup := func(name string) (string, bool) { return "/h", name == "HOME" }
	example, err := readSettings(lookup, file)
	check(t, err)
	plain, err := readSettings(lookup, settingsFile{})
	check(t, err)
	if len(file.values) != len(shownSettings(func(string) (value, source string) { return "", "" })) {
		t.Errorf("the example has %d settings", len(file.values))
	}
	for _, s := range []*Settings{example, plain} {
		s.given, s.AddrIsChosen, s.Traces = nil, false, nil // these say which were set
	}
	if a, b := settingsText(example), settingsText(plain); a != b {
		t.Errorf("with the example the settings are\n%s\nwant\n%s", a, b)
	}
}

// settingsText writes settings, to compare them.
func settingsText(s *Settings) string { return fmt.Sprintf("%+v", *s) }
