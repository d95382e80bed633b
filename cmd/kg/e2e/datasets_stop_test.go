package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/corpus/datasets"
)

// endlessQuestion is one that no time is enough for, briefQuestion one that takes a second or two.
const (
	endlessQuestion = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE (a.range * b.range) % 7 = 3"
	briefQuestion   = "SELECT count(*) FROM range(30000) a, range(1000) b WHERE (a.range * b.range) % 7 = 3"
)

// TestStopAnswersQuestions ends a server by SIGTERM while two questions to datasets run: the
// short one is let finish, and who asks the endless one hears why there is no answer.
func TestStopAnswersQuestions(t *testing.T) {
	t.Parallel()
	p := startChild(t, t.TempDir(), "DATABASE_URL="+newDSN(t), "KG_DATASET_BIN="+needWorker(t), "KG_DATASET_DIR="+openDir(t), "KG_DATASET_WORKERS=4")
	c := login(t, p.url)
	ask := func(sql string) <-chan error {
		ended := make(chan error, 1)
		go func() {
			_, err := c.Datasets.Query(t.Context(), datasets.Query{SQL: sql})
			ended <- err
		}()
		return ended
	}
	first := ask(endlessQuestion)
	awaitThat(t, "the endless question to reach a worker", func() bool { st, err := c.Datasets.Status(t.Context()); return err == nil && st.Busy == 1 })
	second := ask(briefQuestion)
	awaitThat(t, "the short one too", func() bool { st, err := c.Datasets.Status(t.Context()); return err == nil && st.Busy == 2 })
	began := time.Now()
	stopped := make(chan error, 1)
	go func() { stopped <- p.stop() }()
	if err := <-second; err != nil {
		t.Errorf("the short question: %v", err)
	}
	err := <-first
	refused, ok := errors.AsType[*client.Error](err)
	if !ok || refused.Status != 503 || refused.Problem.RetryAfter <= 0 || !strings.Contains(refused.Error(), "stops") {
		t.Errorf("the endless question: %v", err)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("the last answer came after %s", took)
	}
	check(t, <-stopped)
	t.Logf("the server ended after %s", time.Since(began))
}

// TestDatasetStatusAsks takes the program of the workers away while the server runs, and ends
// them: whoever asks for the status hears what a question would meet.
func TestDatasetStatusAsks(t *testing.T) {
	t.Parallel()
	worker := filepath.Join(openDir(t), "kg-data")
	content, err := os.ReadFile(needWorker(t))
	check(t, err)
	check(t, os.WriteFile(worker, content, 0o755))
	p := startChild(t, t.TempDir(), "DATABASE_URL="+newDSN(t), "KG_DATASET_BIN="+worker, "KG_DATASET_DIR="+openDir(t), "KG_DATASET_WORKERS=1")
	c := login(t, p.url)
	status, err := c.Datasets.Status(t.Context())
	if check(t, err); status.Problem != nil || status.Alive != 1 || status.Tasks != 1 {
		t.Fatalf("got %+v", status)
	}
	check(t, os.Remove(worker))
	for _, pid := range childrenOf(t, p.process.Process.Pid) {
		if name, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "comm")); strings.TrimSpace(string(name)) == "kg-data" {
			check(t, syscall.Kill(pid, syscall.SIGKILL))
		}
	}
	awaitThat(t, "the problem to be said", func() bool {
		status, err = c.Datasets.Status(t.Context())
		return err == nil && status.Problem != nil
	})
	if !strings.Contains(*status.Problem, "could not be started") || !strings.Contains(*status.Problem, "KG_DATASET_BIN") || status.Alive != 0 {
		t.Errorf("got %q, %d alive", *status.Problem, status.Alive)
	}
}
