package secrets

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
)

const canary = "sk-canary-vault-4711"

func open(t *testing.T) *Vault {
	t.Helper()
	return Open(filepath.Join(t.TempDir(), "deep", "secrets.key"))
}

func sealed(t *testing.T, v *Vault, row string) (id string, text []byte) {
	t.Helper()
	id, text, err := v.Seal(row, canary)
	if err != nil || strings.Contains(string(text), "canary") {
		t.Fatalf("%q, %v", text, err)
	}
	return id, text
}

func TestVault(t *testing.T) {
	v := open(t)
	if _, err := os.Stat(v.Path()); err == nil {
		t.Error("the file is made before it is needed")
	}
	id, text := sealed(t, v, "openai")
	file, err := os.Stat(v.Path())
	if err != nil || file.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", file, err)
	}
	_, again := sealed(t, v, "openai")
	if string(again) == string(text) {
		t.Error("the same value is sealed to the same bytes")
	}
	if got, err := Open(v.Path()).Open("openai", id, text); got != canary || err != nil {
		t.Errorf("another process opens %q, %v", got, err)
	}
	for name, open := range map[string]func() (string, error){
		"a row that was moved":     func() (string, error) { return v.Open("anthropic", id, text) },
		"a value that was changed": func() (string, error) { return v.Open("openai", id, append([]byte{text[0] ^ 1}, text[1:]...)) },
		"a value that is cut":      func() (string, error) { return v.Open("openai", id, text[:5]) },
		"another file":             func() (string, error) { return openWith(t, t.TempDir()).Open("openai", id, text) },
		"no file":                  func() (string, error) { return Open(v.Path()+"-none").Open("openai", id, text) },
	} {
		got, err := open()
		if err == nil || got != "" || kappa.ErrorCode(err) != kappa.CodeUnavailable || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := Open(v.Path()+"-none").Open("openai", id, text); !strings.Contains(kappa.ErrorMessage(err), v.Path()+"-none") || !strings.Contains(kappa.ErrorMessage(err), "KG_SECRETS_KEY_FILE") {
		t.Errorf("the error names neither file nor setting: %v", err)
	}
}

// openWith returns a vault that has a key of its own.
func openWith(t *testing.T, dir string) *Vault {
	t.Helper()
	v := Open(filepath.Join(dir, "secrets.key"))
	sealed(t, v, "other")
	return v
}

func TestBrokenFile(t *testing.T) {
	for name, text := range map[string]string{"nothing": "\n# a comment\n", "no base64": "-----\n", "a short key": "c2hvcnQ=\n"} {
		path := filepath.Join(t.TempDir(), "secrets.key")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		v := Open(path)
		if _, _, err := v.Seal("openai", canary); err == nil || !strings.Contains(kappa.ErrorMessage(err), path) {
			t.Errorf("%s: %v", name, err)
		}
		if after, _ := os.ReadFile(path); string(after) != text {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

// row is a sealed row of a database.
type row struct {
	id   string
	text []byte
}

// resealAll stores all rows that reseal returns, or none.
func resealAll(rows map[string]row) func(reseal func(string, string, []byte) (string, []byte, error)) error {
	return func(reseal func(string, string, []byte) (string, []byte, error)) error {
		next := map[string]row{}
		for name, r := range rows {
			id, text, err := reseal(name, r.id, r.text)
			if err != nil {
				return err
			}
			next[name] = row{id, text}
		}
		maps.Copy(rows, next)
		return nil
	}
}

func TestRotate(t *testing.T) {
	v := open(t)
	rows := map[string]row{}
	for _, name := range []string{"openai", "anthropic"} {
		id, text := sealed(t, v, name)
		rows[name] = row{id, text}
	}
	before, _ := os.ReadFile(v.Path())
	old := rows["openai"]

	failed := errors.New("the database is away")
	if err := v.Rotate(func(func(string, string, []byte) (string, []byte, error)) error { return failed }); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	if after, _ := os.ReadFile(v.Path()); string(after) != string(before) {
		t.Error("a rotation that failed has changed the file")
	}
	if err := v.Rotate(resealAll(rows)); err != nil {
		t.Fatal(err)
	}
	for name, r := range rows {
		if got, err := Open(v.Path()).Open(name, r.id, r.text); got != canary || err != nil || r.id == old.id {
			t.Errorf("%s after the rotation: %q, %v", name, got, err)
		}
	}
	if _, err := Open(v.Path()).Open("openai", old.id, old.text); err == nil {
		t.Error("the old key is still there")
	}
	broken := map[string]row{"openai": rows["openai"], "anthropic": old}
	kept, _ := os.ReadFile(v.Path())
	if err := v.Rotate(resealAll(broken)); err == nil || broken["openai"].id != rows["openai"].id {
		t.Errorf("rotated although a row cannot be opened: %v", err)
	}
	if after, _ := os.ReadFile(v.Path()); string(after) != string(kept) {
		t.Error("a rotation of which one row failed has changed the file")
	}
}

// TestRotateToAGivenKey is the rotation where the file is not the server's to write: an
// operator puts the new key before the old one.
func TestRotateToAGivenKey(t *testing.T) {
	v := open(t)
	id, text := sealed(t, v, "openai")
	rows := map[string]row{"openai": {id, text}}
	mine, _ := os.ReadFile(v.Path())
	theirs := openWith(t, t.TempDir())
	given, _ := os.ReadFile(theirs.Path())
	if err := os.WriteFile(v.Path(), append(given, mine...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := v.Rotate(resealAll(rows)); err != nil || rows["openai"].id != theirs.Current() {
		t.Fatalf("%v, sealed with %s, want %s", err, rows["openai"].id, theirs.Current())
	}
	if got, err := theirs.Open("openai", rows["openai"].id, rows["openai"].text); got != canary || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
