package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kappagraph/kappa/work"
)

// TestWorkerIsOperated has an operator drain a worker and have it work again, give it other
// slot groups while it holds a run, and give it its own back; in the end the terminal of the
// worker is closed, and what it holds goes back at once.
func TestWorkerIsOperated(t *testing.T) {
	t.Parallel()
	s := startServer(t, map[string]string{"KG_WORKER_SECRET": remoteSecret, "KG_REMOTE_TYPES": "exec"})
	goOn := filepath.Join(t.TempDir(), "go-on")
	waits := `read line; case "$line" in *wait*) while [ ! -e ` + goOn + ` ]; do sleep 0.05; done;; esac; echo "{\"result\":{}}"`
	w := startWorker(t, s, remoteSecret, "--queues", "a:1 b:1", "--types", "exec", "--grace", "2s", "--exec", "sh", "--", "-c", waits)
	submit := func(queue, data string) string {
		t.Helper()
		job, err := s.client.Jobs.Submit(t.Context(), work.NewJob{Type: "exec", Queue: queue, AutoApprove: true, Data: json.RawMessage(data)})
		check(t, err)
		return job.JobID
	}
	shown := func() (worker work.RemoteWorker) {
		t.Helper()
		status, err := s.client.Workers.Status(t.Context())
		check(t, err)
		if len(status.RemoteWorkers) == 1 {
			worker = status.RemoteWorkers[0]
		}
		return worker
	}
	is := func(state string) {
		t.Helper()
		until(t, func() bool { return shown().State == state }, func() string { return fmt.Sprintf("the worker is not %s: %+v", state, shown()) })
	}
	groups := func(want string) {
		t.Helper()
		text := func() (text string) {
			for _, g := range shown().Groups {
				text += fmt.Sprintf("%v%d", g.Queues, g.Max)
			}
			return text
		}
		until(t, func() bool { return text() == want }, func() string { return "the groups are " + text() + ", want " + want + ": " + w.text() })
	}
	is(work.RemoteOnline)
	id := shown().ID

	check(t, s.client.Workers.Operate(t.Context(), id, "drain"))
	is(work.RemoteDraining)
	job := submit("b", `{}`)
	meanwhile(time.Second)
	if got, err := s.client.Jobs.Get(t.Context(), job); err != nil || got.Status != work.StatusApproved {
		t.Errorf("with a worker that drains, the job is %s (%v)", got.Status, err)
	}
	check(t, s.client.Workers.Operate(t.Context(), id, "undrain"))
	await(t, s.client, job, work.StatusCompleted)
	is(work.RemoteOnline)

	held := submit("a", `{"wait":1}`)
	await(t, s.client, held, work.StatusProcessing)
	check(t, s.client.Workers.Regroup(t.Context(), id, []work.SlotGroup{{Queues: []string{"c"}, Max: 2}, {Queues: []string{"b"}, Max: 1}}))
	await(t, s.client, submit("c", `{}`), work.StatusCompleted)
	groups("[c]2[b]1")
	if got := shown(); len(got.AskedGroups) != 2 || got.Capacity != 3 || len(got.Runs) != 1 || got.Runs[0] != held {
		t.Errorf("the worker is shown as %+v", got)
	}
	check(t, s.client.Workers.Operate(t.Context(), id, "disconnect"))
	await(t, s.client, submit("c", `{}`), work.StatusCompleted)
	groups("[c]2[b]1")
	check(t, os.WriteFile(goOn, nil, 0o600))
	if done := await(t, s.client, held, work.StatusCompleted); done.Attempt != 1 {
		t.Errorf("what the worker held took %d attempts", done.Attempt)
	}
	check(t, s.client.Workers.Regroup(t.Context(), id, nil))
	groups("[a]1[b]1")
	await(t, s.client, submit("a", `{}`), work.StatusCompleted)
	if got := shown(); got.AskedGroups != nil {
		t.Errorf("its own groups are shown as given: %+v", got.AskedGroups)
	}
	wrong := s.client.Workers.Regroup(t.Context(), id, []work.SlotGroup{{Queues: []string{"*", "a"}, Max: 0}})
	if wrong == nil || !strings.Contains(wrong.Error(), `"*" must come last`) || !strings.Contains(wrong.Error(), "max") {
		t.Errorf("wrong groups: %v", wrong)
	}
	if err := s.client.Workers.Regroup(t.Context(), "0c9d4f8e-5a5b-4a0e-9a43-7f6f0f3b1d99", nil); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("an unknown worker: %v", err)
	}
	for _, action := range []string{"worker.drain", "worker.undrain", "worker.groups", "worker.disconnect"} {
		if rows(t, s.dsn, "SELECT count(*) FROM kg_api.audit_log WHERE action = $1 AND object_id = $2 AND username = 'admin'", action, id) == 0 {
			t.Errorf("%s is not recorded", action)
		}
	}

	check(t, os.Remove(goOn))
	held = submit("a", `{"wait":1}`)
	await(t, s.client, held, work.StatusProcessing)
	check(t, w.process.Process.Signal(syscall.SIGHUP))
	if code := w.ends(); code != 0 {
		t.Errorf("after SIGHUP it ended with %d: %s", code, w.text())
	}
	if got, err := s.client.Jobs.Get(t.Context(), held); err != nil || got.Status != work.StatusApproved || got.Attempt != 0 || got.Retries != 0 {
		t.Errorf("what it held is %s, attempt %d, retries %d (%v)", got.Status, got.Attempt, got.Retries, err)
	}
	if n := rows(t, s.dsn, "SELECT count(*) FROM kg_api.run_claims WHERE job_id = $1 AND outcome IN ('released', 'returned')", held); n != 1 {
		t.Errorf("%d of its claims were released", n)
	}
}
