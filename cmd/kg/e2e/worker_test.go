package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

// workerProcess is a running kg worker.
type workerProcess struct {
	t       *testing.T
	process *exec.Cmd
	log     string
}

// startWorker starts kg worker for a server.
func startWorker(t *testing.T, s *testServer, secret string, args ...string) *workerProcess {
	t.Helper()
	return startWorkerWith(t, s, secret, nil, args...)
}

// startWorkerWith starts it with more variables, as NAME=value.
func startWorkerWith(t *testing.T, s *testServer, secret string, variables []string, args ...string) *workerProcess {
	t.Helper()
	self, err := os.Executable()
	check(t, err)
	w := &workerProcess{t: t, log: filepath.Join(t.TempDir(), "worker.log")}
	log, err := os.Create(w.log)
	check(t, err)
	defer log.Close()
	w.process = exec.Command(self, append([]string{"worker", "--server", s.url, "--backoff", "100ms/300ms"}, args...)...)
	w.process.Env = append(os.Environ(), actAsKG+"=1", "KG_WORKER_SECRET="+secret, "KG_TEST_TYPES=1")
	w.process.Env = append(w.process.Env, variables...)
	w.process.Stderr = log
	check(t, w.process.Start())
	t.Cleanup(w.kill)
	return w
}

// kill ends the process as a crash would.
func (w *workerProcess) kill() {
	_ = w.process.Process.Kill() // it may be gone
	_ = w.process.Wait()
}

// text returns what the worker has logged.
func (w *workerProcess) text() string {
	text, _ := os.ReadFile(w.log)
	return string(text)
}

// ends waits for the process, and returns its exit code.
func (w *workerProcess) ends() int {
	w.t.Helper()
	err := w.process.Wait()
	if strings.Contains(w.text(), remoteSecret) {
		w.t.Error("the secret is in the log")
	}
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		w.t.Fatal(err)
	}
	return w.process.ProcessState.ExitCode()
}

// program answers each run: it says how far it is, and returns the data and the attempt.
const program = `read line
echo '{"progress":{"stage":"half","percent":50}}'
echo "told to people" >&2
echo '{"checkpoint":{"step":1}}'
echo "{\"result\":{\"attempt\":$KG_ATTEMPT,\"got\":$line}}"`

// TestWorker runs kg worker against a whole server: a program works on jobs, and chunks of
// a document are read.
func TestWorker(t *testing.T) {
	t.Parallel()
	s := startServer(t, map[string]string{"KG_WORKER_SECRET": remoteSecret, "KG_EXTRACTOR": "remote", "KG_REMOTE_TYPES": "exec,extract_chunk"})
	t.Run("a wrong secret", func(t *testing.T) {
		w := startWorker(t, s, "a secret that the server does not know")
		if code := w.ends(); code != 3 || !strings.Contains(w.text(), "refused by the server") {
			t.Errorf("exit code %d: %s", code, w.text())
		}
	})
	t.Run("wrong flags", func(t *testing.T) {
		w := startWorker(t, s, remoteSecret, "--queues", "a:0", "--lease", "1ms", "--exec", "no-such-program", "--types", "exec")
		if code := w.ends(); code != 2 || !strings.Contains(w.text(), "--queues") || !strings.Contains(w.text(), "--lease") || !strings.Contains(w.text(), "--exec") {
			t.Errorf("exit code %d: %s", code, w.text())
		}
	})
	t.Run("a program", func(t *testing.T) {
		var ids []string
		for range 3 {
			job, err := s.client.Jobs.Submit(t.Context(), work.NewJob{Type: "exec", Queue: "manual", AutoApprove: true, Data: json.RawMessage(`{"n":1}`)})
			check(t, err)
			ids = append(ids, job.JobID)
		}
		w := startWorker(t, s, remoteSecret, "--queues", "manual,*:2", "--types", "exec", "--once", "--exec", "sh", "--", "-c", program)
		for _, id := range ids {
			done := await(t, s.client, id, work.StatusCompleted)
			var result struct {
				Attempt int
				Got     struct {
					ID   string
					Data struct{ N int }
				}
			}
			check(t, json.Unmarshal(done.Result, &result))
			if result.Attempt != 1 || result.Got.ID != id || result.Got.Data.N != 1 {
				t.Errorf("the result is %s", done.Result)
			}
			log, err := s.client.Jobs.Log(t.Context(), id, work.RunLogLine{})
			if err != nil || len(log.Lines) != 1 || log.Lines[0].Message != "told to people" {
				t.Errorf("the log is %+v (%v)", log, err)
			}
		}
		if code := w.ends(); code != 0 {
			t.Errorf("with --once it ended with %d: %s", code, w.text())
		}
	})
	t.Run("chunks of a document", func(t *testing.T) {
		w := startWorker(t, s, remoteSecret, "--queues", "*:4")
		overlap, target := 0, 100
		submitted, err := s.client.Documents.Submit(t.Context(), client.Document{
			Body: []byte(strings.Repeat("Lanes claim approved jobs. PostgreSQL stores events. A heartbeat renews the lease of a worker. ", 30)), Filename: "a.txt", Ontology: "o", AutoApprove: true,
			Chunking: corpus.ChunkRequest{TargetWords: &target, OverlapWords: &overlap},
		})
		check(t, err)
		await(t, s.client, submitted.JobID, work.StatusCompleted)
		if n := rows(t, s.dsn, "SELECT count(*) FROM kg_api.jobs WHERE job_type = 'extract_chunk' AND status = 'completed'"); n < 3 {
			t.Errorf("%d chunks were read by the worker", n)
		}
		if n := rows(t, s.dsn, "SELECT count(*) FROM kg_api.concepts WHERE lower(label) IN ('lane', 'heartbeat', 'postgresql')"); n != 3 {
			t.Errorf("%d of 3 concepts were found", n)
		}
		check(t, w.process.Process.Signal(syscall.SIGTERM))
		if code := w.ends(); code != 0 {
			t.Errorf("after SIGTERM it ended with %d: %s", code, w.text())
		}
	})
}

// TestWorkerIsKilled_Slow kills a worker in the middle of a run: when its lease is over,
// another one does it once more, from its checkpoint.
func TestWorkerIsKilled_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	s := startServer(t, map[string]string{"KG_WORKER_SECRET": remoteSecret, "KG_REMOTE_TYPES": "exec"})
	job, err := s.client.Jobs.Submit(t.Context(), work.NewJob{Type: "exec", AutoApprove: true})
	check(t, err)
	const waits = `read line; echo '{"checkpoint":{"step":7}}'; exec sleep 600`
	first := startWorker(t, s, remoteSecret, "--types", "exec", "--lease", "15s", "--exec", "sh", "--", "-c", waits)
	until(t, func() bool {
		return rows(t, s.dsn, "SELECT count(*) FROM kg_api.jobs WHERE checkpoint IS NOT NULL") == 1
	}, func() string { return "no checkpoint is stored: " + first.text() })
	first.kill()
	began := time.Now()
	second := startWorker(t, s, remoteSecret, "--types", "exec", "--lease", "15s", "--exec", "sh", "--", "-c", program)
	done := await(t, s.client, job.JobID, work.StatusCompleted)
	if done.Attempt != 2 || !strings.Contains(string(done.Result), `"checkpoint":{"step":7}`) {
		t.Errorf("attempt %d, result %s; %s", done.Attempt, done.Result, second.text())
	}
	t.Logf("done %s after the kill", time.Since(began).Round(time.Millisecond))
}

// TestRemoteGraphIsTheSame_Slow ingests a document twice, with its chunks read by a worker
// and by the server itself: the graphs have the same concepts, quotes and relationships.
func TestRemoteGraphIsTheSame_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	here := startServer(t, nil)
	far := startServer(t, map[string]string{"KG_WORKER_SECRET": remoteSecret, "KG_EXTRACTOR": "remote", "KG_REMOTE_TYPES": "extract_chunk"})
	startWorker(t, far, remoteSecret, "--queues", "*:4")
	body, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "remote-workers.md"))
	check(t, err)
	target := 200
	graphs := map[string][]string{}
	for name, s := range map[string]*testServer{"here": here, "far": far} {
		submitted, err := s.client.Documents.Submit(t.Context(), client.Document{
			Body: body, Filename: "remote-workers.md", Ontology: "o", AutoApprove: true, Chunking: corpus.ChunkRequest{TargetWords: &target},
		})
		check(t, err)
		await(t, s.client, submitted.JobID, work.StatusCompleted)
		graphs[name] = graphLines(t, s.dsn)
	}
	t.Logf("%d chunks, concepts, quotes and relationships", len(graphs["here"]))
	if !slices.Equal(graphs["here"], graphs["far"]) {
		for _, line := range graphs["here"] {
			if !slices.Contains(graphs["far"], line) {
				t.Errorf("read remotely it lacks: %s", line)
			}
		}
		for _, line := range graphs["far"] {
			if !slices.Contains(graphs["here"], line) {
				t.Errorf("read remotely it has besides: %s", line)
			}
		}
	}
}

// TestWorkerIsStopped_Slow stops a worker past its lease, as a machine that sleeps is, and
// lets it go on: another one has done its run meanwhile, and nothing that the first says
// of it counts.
func TestWorkerIsStopped_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	s := startServer(t, map[string]string{"KG_WORKER_SECRET": remoteSecret, "KG_REMOTE_TYPES": "exec"})
	job, err := s.client.Jobs.Submit(t.Context(), work.NewJob{Type: "exec", AutoApprove: true})
	check(t, err)
	ended := filepath.Join(t.TempDir(), "ended")
	waits := `trap 'date >` + ended + `; exit 0' TERM; read line; echo '{"checkpoint":{"step":7}}'; while :; do sleep 0.05; done`
	first := startWorker(t, s, remoteSecret, "--types", "exec", "--lease", "15s", "--exec", "sh", "--", "-c", waits)
	until(t, func() bool {
		return rows(t, s.dsn, "SELECT count(*) FROM kg_api.jobs WHERE checkpoint IS NOT NULL") == 1
	}, func() string { return "no checkpoint is stored: " + first.text() })
	check(t, first.process.Process.Signal(syscall.SIGSTOP))
	startWorker(t, s, remoteSecret, "--types", "exec", "--lease", "15s", "--exec", "sh", "--", "-c", program)
	done := await(t, s.client, job.JobID, work.StatusCompleted)
	before := rows(t, s.dsn, "SELECT event_seq FROM kg_api.jobs WHERE job_id = $1", job.JobID)
	began := time.Now()
	check(t, first.process.Process.Signal(syscall.SIGCONT))
	until(t, func() bool {
		_, err := os.Stat(ended)
		return err == nil
	}, func() string { return "its program goes on: " + first.text() })
	t.Logf("its program was stopped %s after it went on", time.Since(began).Round(time.Millisecond))
	until(t, func() bool { return strings.Count(first.text(), "msg=joined") == 2 }, func() string { return "it has not come back: " + first.text() })
	if again := rows(t, s.dsn, "SELECT event_seq FROM kg_api.jobs WHERE job_id = $1", job.JobID); again != before || done.Attempt != 2 {
		t.Errorf("the job is at attempt %d, and its events went from %d to %d after the first worker was back", done.Attempt, before, again)
	}
	if n := rows(t, s.dsn, "SELECT count(*) FROM kg_api.run_claims WHERE outcome = 'completed'"); n != 1 {
		t.Errorf("%d claims have completed it", n)
	}
}
