package cli

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// TestDrain waits until nothing runs, until Ctrl-C and until a timeout.
func TestDrain(t *testing.T) {
	const one = `{"running_jobs":[{"job_id":"job_1","job_type":"noop"}],"running_count":1}`
	var asked atomic.Int64
	paused := ""
	serve := func(t *testing.T, status func(ask int64) string) *console {
		f := newFakeAPI(t)
		asked.Store(0)
		f.HandleFunc("POST /admin/pauses", func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			paused = string(body)
			f.json(w, `{"pause_id":1,"scope":"all"}`)
		})
		f.HandleFunc("GET /admin/workers/status", func(w http.ResponseWriter, _ *http.Request) { f.json(w, status(asked.Add(1))) })
		return f.console(t)
	}
	t.Run("it ends when nothing runs, and not for one look", func(t *testing.T) {
		c := serve(t, func(ask int64) string {
			return []string{`{"running_count":0}`, one, one, `{"running_count":0}`}[min(ask, 4)-1]
		})
		c.run(t.Context(), "admin", "drain", "--wait", "--reason", "a new disk")
		if c.code != exit.OK || c.err != "Everything paused.\n1 job still running:\n  job_1  noop\n" || c.out != "Nothing runs.\n" || asked.Load() != 5 {
			t.Errorf("code %d, asked %d times, stderr %q", c.code, asked.Load(), c.err)
		}
		if !strings.Contains(paused, `"scope":"all"`) || !strings.Contains(paused, `"reason":"a new disk"`) {
			t.Errorf("paused %s", paused)
		}
	})
	t.Run("a timeout has an exit code of its own", func(t *testing.T) {
		c := serve(t, func(int64) string { return one })
		c.run(t.Context(), "admin", "drain", "--wait", "--timeout", "1ms")
		if c.code != exit.TimedOut || !strings.Contains(c.err, stayPaused) || !strings.Contains(c.err, "kg: jobs still run after") {
			t.Errorf("code %d, stderr %q", c.code, c.err)
		}
	})
	t.Run("Ctrl-C leaves the pause, and says so", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c := serve(t, func(ask int64) string {
			if ask == 2 {
				cancel()
			}
			return one
		})
		c.run(ctx, "admin", "drain", "--wait")
		if c.code != exit.Interrupted || !strings.HasSuffix(c.err, stayPaused+"\n") {
			t.Errorf("code %d, stderr %q", c.code, c.err)
		}
	})
	t.Run("what is paused already is waited for too, and without --wait nothing is", func(t *testing.T) {
		f := newFakeAPI(t)
		f.refuse("POST /admin/pauses", http.StatusConflict, "It is paused already; resume it first")
		if c := f.console(t).run(t.Context(), "admin", "drain"); c.code != exit.OK || c.err != "Everything was paused already.\n" {
			t.Errorf("code %d, stderr %q", c.code, c.err)
		}
	})
	for _, line := range []string{"admin drain --timeout 1m", "admin drain --wait --timeout -1s", "admin drain --reason " + strings.Repeat("x", 501), "admin drain now"} {
		if c := newConsole(t).run(t.Context(), strings.Fields(line)...); c.code != exit.Misused {
			t.Errorf("%s: code %d, %s", line, c.code, c.err)
		}
	}
}
