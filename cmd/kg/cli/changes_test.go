package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// TestSinceWhen reads moments as every command with --since and --as-of does.
func TestSinceWhen(t *testing.T) {
	for text, ago := range map[string]time.Duration{"90s": 90 * time.Second, "7d": 7 * 24 * time.Hour, "2w": 14 * 24 * time.Hour} {
		at, err := sinceTime(text)
		if d := time.Since(at) - ago; err != nil || d < 0 || d > time.Minute {
			t.Errorf("%s is %v, error %v", text, at, err)
		}
	}
	if at, err := sinceTime("2026-01-31"); err != nil || !at.Equal(time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("a day is %v, error %v", at, err)
	}
	for _, args := range [][]string{{"changes", "--since", "yesterday"}, {"ask", "x", "--as-of", "yesterday"}, {"ask", "x", "--since", "yesterday"}} {
		if c := newConsole(t).run(t.Context(), args...); c.code != exit.Misused || !strings.Contains(c.err, args[len(args)-2]) || !strings.Contains(c.err, "7d") {
			t.Errorf("%v: code %d, stderr %q", args, c.code, c.err)
		}
	}
	f := newFakeAPI(t)
	f.answer("GET /changes", `{"since":"2026-01-31T00:00:00.000Z","epoch":3}`)
	if c := f.console(t).run(t.Context(), "changes", "--since", "7d"); c.code != exit.OK || !strings.Contains(c.out, "epoch 3 now") {
		t.Errorf("code %d, stdout %q, stderr %q", c.code, c.out, c.err)
	}
	if c := f.console(t).run(t.Context(), "changes", "--since", "12"); c.code != exit.OK || !strings.Contains(strings.Join(f.requests, "\n"), "since=12") {
		t.Errorf("an epoch: code %d, stderr %q, requests %q", c.code, c.err, f.requests)
	}
}
