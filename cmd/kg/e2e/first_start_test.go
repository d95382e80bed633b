package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// firstLines are the last lines of a first start: the account, the next commands and the
// address.
var firstLines = regexp.MustCompile(`(?m)^kg: created the account admin with the password [A-Z2-7]{26}
kg: it is shown only now; log in with: kg login -u admin
kg: and then read a document: kg ingest file FILE --ontology NAME --wait
kg: serving on http://127\.0\.0\.1:\d+
\z`)

// TestFirstStart reads what a first start prints, as somebody sees it who has it all in
// one terminal: what to do next stands last, and all of it on one screen.
func TestFirstStart(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	check(t, err)
	dir := t.TempDir()
	screen, err := os.Create(filepath.Join(dir, "screen"))
	check(t, err)
	defer screen.Close()
	kg := exec.Command(self, "serve", "--addr", "127.0.0.1:0", "--data-dir", filepath.Join(dir, "data"), "--config", os.DevNull)
	kg.Env = append(os.Environ(), actAsKG+"=1", "DATABASE_URL=", "KG_DRAIN_SECONDS=1")
	kg.Stdout, kg.Stderr = screen, screen
	check(t, kg.Start())
	defer func() {
		_ = kg.Process.Signal(syscall.SIGTERM)
		_ = kg.Wait()
	}()
	shown := func() string {
		text, err := os.ReadFile(screen.Name())
		check(t, err)
		return string(text)
	}
	text := ""
	until(t, func() bool {
		before, serving, found := strings.Cut(shown(), "kg: serving on ")
		url, _, whole := strings.Cut(serving, "\n") // what comes later is the log of what goes on
		text = before + "kg: serving on " + url + "\n"
		return found && whole
	}, func() string { return "it does not serve:\n" + shown() })
	if !firstLines.MatchString(text) {
		t.Errorf("the first start does not end with what to do next:\n%s", text)
	}
	runPrinted(t, filepath.Join(dir, "home"), text)
	if lines := strings.Count(text, "\n"); lines > 20 {
		t.Errorf("a first start prints %d lines, want 20 at most:\n%s", lines, text)
	}
}

// runPrinted runs the commands that a first start names, as its reader would.
func runPrinted(t *testing.T, home, text string) {
	t.Helper()
	check(t, os.MkdirAll(home, 0o700))
	note := filepath.Join(home, "note.txt")
	check(t, os.WriteFile(note, []byte(lanesText), 0o600))
	password := regexp.MustCompile(`password ([A-Z2-7]{26})`).FindStringSubmatch(text)
	url := regexp.MustCompile(`serving on (http\S+)`).FindStringSubmatch(text)
	commands := regexp.MustCompile(`: (kg (?:login|ingest) .*)`).FindAllStringSubmatch(text, -1)
	if password == nil || url == nil || len(commands) != 2 {
		t.Fatalf("a password, an address and two commands are not in:\n%s", text)
	}
	for _, c := range commands {
		args := strings.Fields(strings.NewReplacer("FILE", note, "NAME", "notes").Replace(c[1]))[1:]
		kg := exec.Command(os.Args[0], append(args, map[bool][]string{true: {"--password-stdin"}}[args[0] == "login"]...)...)
		kg.Env = append(os.Environ(), actAsKG+"=1", "XDG_CONFIG_HOME="+home, "KG_API_URL="+url[1])
		kg.Stdin = strings.NewReader(password[1] + "\n")
		if out, err := kg.CombinedOutput(); err != nil {
			t.Errorf("%s: %v, %s", c[1], err, out)
		}
	}
}
