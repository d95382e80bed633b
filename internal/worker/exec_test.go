//go:build unix

package worker

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/remote/wire"
)

// onARun calls a handler with a run of a worker that is connected to nothing.
func onARun(t *testing.T, ctx context.Context, h Handler) (*run, json.RawMessage, error) {
	t.Helper()
	w, err := New(Config{
		Server: "ws://127.0.0.1:1", Secret: []byte(strings.Repeat("s", 32)), Groups: []wire.Group{{Queues: []string{"*"}, Slots: 1}},
		Handlers: map[string]Handler{"t": h}, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	w.answer.Caps = []string{wire.CapCheckpoint}
	r := newRun(w, w.groups[0], wire.Run{RunKey: wire.RunKey{ID: "job_1"}, Type: "t", Attempt: 2})
	defer r.cancel(nil)
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, timer := range []*time.Timer{r.showTimer, r.logTimer} {
			if timer != nil {
				timer.Stop()
			}
		}
	}()
	result, err := h(ctx, &Run{ID: "job_1", Type: "t", Queue: "q", Attempt: 2, Data: json.RawMessage(`{"n":1}`), r: r})
	return r, result, err
}

func TestExec(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		result string
		fails  Failure
		logged string
		saved  string
	}{
		"a result":                       {script: `read l; echo "{\"result\":$l}"`, result: `{"id":"job_1","type":"t","queue":"q","attempt":2,"deadline_ms":0,"data":{"n":1},"checkpoint":null}`},
		"the last result counts":         {script: `echo '{"result":1}'; echo '{"result":2}'`, result: "2"},
		"it does not read":               {script: `echo '{"result":null}'`, result: "null"},
		"a checkpoint":                   {script: `echo '{"checkpoint":{"a":1}}'; echo '{"result":1}'`, result: "1", saved: `{"a":1}`},
		"no result":                      {script: `exit 0`, fails: Failure{Type: "no_result"}},
		"an exit code":                   {script: `exit 3`, fails: Failure{Type: "ExitCode"}},
		"a code that asks for more":      {script: `exit 75`, fails: Failure{Type: "ExitCode", Retry: true}},
		"a signal":                       {script: `kill -9 $$`, fails: Failure{Type: "ExitCode", Retry: true}},
		"an error":                       {script: `echo '{"error":{"type":"Bad","message":"m"}}'`, fails: Failure{Type: "Bad"}},
		"an error that may be tried":     {script: `echo '{"error":{"type":"Busy","message":"m","retry":true}}'; exit 1`, fails: Failure{Type: "Busy", Retry: true}},
		"an error after a result":        {script: `echo '{"result":1}'; echo '{"error":{"message":"m"}}'`, fails: Failure{Type: "Error"}},
		"garbage":                        {script: `echo garbage; echo '{"what":1}'; echo '[1]'; echo '{"a":1,"b":2}'; echo '{"progress":{"percent":200}}'; echo '{"result":1}'`, result: "1", logged: "garbage|the key is none|[1]|exactly one key|percent must be"},
		"bytes that are no text":         {script: `printf '\377\376\n{"result":1}\n'`, result: "1", logged: "\ufffd"},
		"a line without an end":          {script: `printf '{"result":7}'`, result: "7"},
		"standard error":                 {script: `echo "to people" >&2; echo '{"log":{"message":"and so"}}'; echo '{"result":1}'`, result: "1", logged: "to people|and so"},
		"a line of two megabytes":        {script: `head -c 2000000 /dev/zero | tr '\0' x; echo; echo '{"result":1}'`, result: "1", logged: "more than 1 MiB"},
		"little of the environment":      {script: `echo "{\"result\":\"$KG_JOB_ID $KG_ATTEMPT $KG_WORKER_SECRET\"}"`, result: `"job_1 2 "`},
		"what it leaves behind is ended": {script: `sleep 600 & echo '{"result":1}'`, result: "1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, result, err := onARun(t, t.Context(), Exec("/bin/sh", "-c", c.script))
			failed, _ := errors.AsType[*Failure](err)
			switch {
			case c.fails.Type == "" && (err != nil || string(result) != c.result):
				t.Errorf("got %s, %v", result, err)
			case c.fails.Type != "" && (failed == nil || failed.Type != c.fails.Type || failed.Retry != c.fails.Retry):
				t.Errorf("got %s, %+v", result, err)
			}
			r.w.mu.Lock()
			defer r.w.mu.Unlock()
			var log strings.Builder
			for _, l := range r.lines {
				log.WriteString(l.Message + "\n")
			}
			for part := range strings.SplitSeq(c.logged, "|") {
				if !strings.Contains(log.String(), part) {
					t.Errorf("the log lacks %q: %.500q", part, log.String())
				}
			}
			if string(r.last) != c.saved {
				t.Errorf("the checkpoint is %s", r.last)
			}
		})
	}
}

// TestExecIsStopped has a program and its child, which ignores SIGTERM, end with the run.
func TestExecIsStopped(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		defer cancel(ErrCancelled)
		await.That(t, "the child runs", func() bool {
			text, err := os.ReadFile(file)
			return err == nil && strings.HasSuffix(string(text), "\n")
		})
	}()
	_, _, err := onARun(t, ctx, Exec("/bin/sh", "-c", `sleep 600 & echo $! >`+file+`; wait`))
	if !errors.Is(err, ErrCancelled) {
		t.Errorf("got %v", err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	await.That(t, "the child is gone", func() bool { // whoever adopts it reaps it
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		return err != nil || strings.Contains(string(stat), ") Z ")
	})
}
