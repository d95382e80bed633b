package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// firstLines are the last lines of a first start: the account, the next commands and the
// address.
var firstLines = regexp.MustCompile(`(?m)^kg: created the account admin with the password [A-Z2-7]{26}
kg: it is shown only now; log in with: kg login -u admin
kg: and then read a document: kg ingest FILE --ontology NAME --wait
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
	for deadline := time.Now().Add(time.Minute); !strings.Contains(shown(), "kg: serving on ") && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
	time.Sleep(300 * time.Millisecond) // for a line that would come after it
	text := shown()
	if !firstLines.MatchString(text) {
		t.Errorf("the first start does not end with what to do next:\n%s", text)
	}
	if lines := strings.Count(text, "\n"); lines > 20 {
		t.Errorf("a first start prints %d lines, want 20 at most:\n%s", lines, text)
	}
}
