package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/built"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

// datasetWorker is kg-data.
var datasetWorker = sync.OnceValues(func() (string, error) { return built.Data(context.Background()) })

// needWorker returns the program of a dataset worker. Without a C compiler the test is
// skipped.
func needWorker(t *testing.T) string {
	t.Helper()
	if _, gcc := exec.LookPath("gcc"); gcc != nil {
		if _, clang := exec.LookPath("clang"); clang != nil {
			t.Skip("SKIPPED: there is no C compiler, so kg-data cannot be built and questions to datasets are not tested")
		}
	}
	path, err := datasetWorker()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func startWithDatasets(t *testing.T, settings map[string]string) *testServer {
	t.Helper()
	values := map[string]string{"KG_DATASET_BIN": needWorker(t), "KG_DATASET_DIR": openDir(t), "KG_DATASET_PRIVATE": "allow", "KG_DATASET_WORKERS": "2"}
	maps.Copy(values, settings)
	return startServer(t, values)
}

// openDir is a directory that every user may search, as workers of a root server must.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "kg-e2e-datasets-")
	check(t, err)
	check(t, os.Chmod(dir, 0o711)) // see above
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

const tripsSQL = `SELECT range AS id, 'city ' || (range % 3) AS city, 9007199254740993::BIGINT + range AS large,
  (range / 4)::DECIMAL(10,2) AS fare, CASE WHEN range % 2 = 0 THEN NULL ELSE '' END AS remark FROM range(2500)`

// trips has a job write a Parquet file, and returns where it is.
func trips(t *testing.T, s *testServer) string {
	t.Helper()
	reply, err := s.client.Datasets.Submit(t.Context(), datasets.Job{SQL: tripsSQL, Datasets: []datasets.Dataset{}, Format: datasets.FormatParquet})
	check(t, err)
	job := awaitEnd(t, s, reply.JobID)
	if job.Status != work.StatusCompleted {
		t.Fatalf("the job that writes the dataset is %s: %v", job.Status, job.Error)
	}
	var result struct {
		ArtifactID int `json:"artifact_id"`
		Columns    []datasets.Column
		TotalRows  int `json:"total_rows"`
	}
	check(t, json.Unmarshal(job.Result, &result))
	if result.TotalRows != 2500 || len(result.Columns) != 5 || result.Columns[3].Type != "DECIMAL(10,2)" {
		t.Errorf("the job says %s", job.Result)
	}
	path := filepath.Join(t.TempDir(), "trips.parquet")
	file, err := os.Create(path)
	check(t, err)
	_, err = s.client.Artifacts.Download(t.Context(), result.ArtifactID, file)
	check(t, errors.Join(err, file.Close()))
	return path
}

func awaitEnd(t *testing.T, s *testServer, id string) work.Job {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // which only a hang reaches
	defer cancel()
	for _, err := range s.client.Jobs.Watch(ctx, id) {
		check(t, err)
	}
	job, err := s.client.Jobs.Get(t.Context(), id)
	check(t, err)
	return job
}

// TestDatasets asks a real server with real workers everything that users can.
func TestDatasets(t *testing.T) {
	t.Parallel()
	s := startWithDatasets(t, map[string]string{"KG_DATASET_SECONDS": "3", "KG_DATASET_MAX_BYTES": "1MiB"})
	path := trips(t, s)
	files := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(path))))
	t.Cleanup(files.Close)
	large := filepath.Join(filepath.Dir(path), "large.parquet")
	check(t, os.WriteFile(large, nil, 0o600))
	check(t, os.Truncate(large, 2<<20))
	url := files.URL + "/trips.parquet"
	table := []datasets.Dataset{{URL: url, TableName: "trips"}}

	t.Run("validate and schema", func(t *testing.T) {
		valid, err := s.client.Datasets.Validate(t.Context(), url)
		check(t, err)
		schema, err := s.client.Datasets.Schema(t.Context(), url)
		check(t, err)
		if !valid.Valid || valid.Error != nil || schema.RowCount != 2500 || len(schema.Columns) != 5 || schema.SizeBytes < 1000 {
			t.Errorf("got %+v and %+v", valid, schema)
		}
		sent, err := s.client.Datasets.SchemaOfFile(t.Context(), path)
		check(t, err)
		if sent.RowCount != 2500 || sent.SizeBytes != schema.SizeBytes {
			t.Errorf("of the file that was sent: %+v", sent)
		}
		valid, err = s.client.Datasets.Validate(t.Context(), files.URL+"/nothing")
		if check(t, err); valid.Valid || valid.Error == nil || valid.Error.Type != datasets.ErrNetwork {
			t.Errorf("of nothing: %+v", valid)
		}
	})
	t.Run("query", func(t *testing.T) {
		rows, err := s.client.Datasets.Query(t.Context(), datasets.Query{SQL: "SELECT large, fare, remark FROM trips ORDER BY id", Datasets: table, Limit: 2})
		check(t, err)
		if rows.TotalRows != 2500 || !rows.Truncated || len(rows.Rows) != 2 || string(rows.Rows[1]) != `{"large":"9007199254740994","fare":"0.25","remark":""}` {
			t.Errorf("got %+v, %s", rows, rows.Rows)
		}
		rows, err = s.client.Datasets.Query(t.Context(), datasets.Query{SQL: "SELECT count(*) AS n FROM a JOIN trips USING (id)", Datasets: table}, client.DatasetFile{TableName: "a", Path: path})
		check(t, err)
		if string(rows.Rows[0]) != `{"n":2500}` {
			t.Errorf("a file that was sent, and a URL: %s", rows.Rows)
		}
	})
	t.Run("each class of failure has its status", func(t *testing.T) {
		for _, c := range []struct {
			class  datasets.ErrorType
			status int
			query  datasets.Query
		}{
			{datasets.ErrValidation, 422, datasets.Query{SQL: "SELECT 1", Limit: 1001}},
			{datasets.ErrValidation, 422, datasets.Query{SQL: "SELECT 1 FROM t", Datasets: []datasets.Dataset{{URL: "http://169.254.169.254/x", TableName: "t"}}}},
			{datasets.ErrValidation, 422, datasets.Query{SQL: "SELECT 1 FROM t", Datasets: []datasets.Dataset{{URL: files.URL, TableName: "t"}}}},
			{datasets.ErrMemory, 413, datasets.Query{SQL: "SELECT 1 FROM t", Datasets: []datasets.Dataset{{URL: files.URL + "/large.parquet", TableName: "t"}}}},
			{datasets.ErrNetwork, 502, datasets.Query{SQL: "SELECT 1 FROM t", Datasets: []datasets.Dataset{{URL: files.URL + "/nothing", TableName: "t"}}}},
			{datasets.ErrSQL, 422, datasets.Query{SQL: "SELECT fares FROM trips", Datasets: table}},
			{datasets.ErrSQL, 422, datasets.Query{SQL: "SELECT 1; DROP VIEW trips", Datasets: table}},
			{datasets.ErrTimeout, 504, datasets.Query{SQL: "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE (a.range * b.range) % 7 = 3"}},
			{datasets.ErrMemory, 507, datasets.Query{SQL: "SELECT sum(length(repeat(city, 500000000))) FROM trips", Datasets: table}},
		} {
			_, err := s.client.Datasets.Query(t.Context(), c.query)
			refused, ok := errors.AsType[*client.Error](err)
			if !ok || refused.Status != c.status || refused.Dataset == nil || refused.Dataset.Type != c.class || refused.Dataset.Message == "" {
				t.Errorf("%s: got %v, want %d %s", c.query.SQL, err, c.status, c.class)
			}
		}
	})
	t.Run("a job that is cancelled leaves no process", func(t *testing.T) {
		reply, err := s.client.Datasets.Submit(t.Context(), datasets.Job{SQL: "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE (a.range * b.range) % 7 = 3", Datasets: []datasets.Dataset{}, Format: "csv"})
		check(t, err)
		awaitThat(t, "the job to reach the worker", func() bool { st, err := s.client.Datasets.Status(t.Context()); return err == nil && st.Busy == 1 })
		began := time.Now()
		_, err = s.client.Jobs.Cancel(t.Context(), reply.JobID)
		check(t, err)
		awaitThat(t, "the worker to be killed", func() bool {
			st, err := s.client.Datasets.Status(t.Context())
			return err == nil && st.Busy == 0
		})
		t.Logf("the worker was dead %s after the request to cancel", time.Since(began))
		if job := awaitEnd(t, s, reply.JobID); job.Status != work.StatusCancelled {
			t.Errorf("the job is %s", job.Status)
		}
	})
	t.Run("the walls are told", func(t *testing.T) {
		status, err := s.client.Datasets.Status(t.Context())
		check(t, err)
		if status.Problem != nil || status.Version == "" || len(status.InForce) < 5 {
			t.Errorf("got %+v", status)
		}
	})
}

// TestDatasetWorkerThatLies has a server with workers that get ready and then say what is
// no answer.
func TestDatasetWorkerThatLies(t *testing.T) {
	t.Parallel()
	worker := filepath.Join(openDir(t), "worker")
	hello := `{"version":"liar","in_force":[],"not_in_force":[]}`
	script := "#!/bin/sh\nprintf '\\000\\000\\000\\" + fmt.Sprintf("%03o", len(hello)) + hello + "'\nhead -c 4 >/dev/null\nprintf 'and now something else'\nexec sleep 60\n"
	check(t, os.WriteFile(worker, []byte(script), 0o755))
	s := startServer(t, map[string]string{"KG_DATASET_BIN": worker, "KG_DATASET_DIR": openDir(t), "KG_DATASET_WORKERS": "1"})
	for range 2 { // each has a worker of its own
		_, err := s.client.Datasets.Query(t.Context(), datasets.Query{SQL: "SELECT 1"})
		refused, ok := errors.AsType[*client.Error](err)
		if !ok || refused.Status != 500 || refused.Dataset == nil || refused.Dataset.Type != datasets.ErrInternal {
			t.Errorf("got %v, want 500 internal", err)
		}
	}
	awaitThat(t, "the workers to be gone", func() bool {
		st, err := s.client.Datasets.Status(t.Context())
		return err == nil && st.Alive == 0 && st.Version == "liar"
	})
}

func TestWithoutDatasetWorkers(t *testing.T) {
	t.Parallel()
	s := startServer(t, map[string]string{"KG_DATASET_WORKERS": "0"})
	_, err := s.client.Datasets.Query(t.Context(), datasets.Query{SQL: "SELECT 1"})
	refused, ok := errors.AsType[*client.Error](err)
	if !ok || refused.Status != 503 || !strings.Contains(refused.Error(), "KG_DATASET_WORKERS") {
		t.Errorf("got %v", err)
	}
}

// TestDatasetWorkersEndWithTheServer kills servers in the middle of a question, and checks
// for what they leave behind.
func TestDatasetWorkersEndWithTheServer(t *testing.T) {
	t.Parallel()
	killServers(t, 1)
}

func TestDatasetWorkersEndWithTheServer_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	killServers(t, 100)
}

func killServers(t *testing.T, times int) {
	t.Helper()
	worker, dir, dsn := needWorker(t), openDir(t), newDSN(t)
	for range times {
		began := time.Now()
		p := startChild(t, t.TempDir(), "DATABASE_URL="+dsn, "KG_DATASET_BIN="+worker, "KG_DATASET_DIR="+dir, "KG_DATASET_WORKERS=2")
		c := login(t, p.url)
		asked := make(chan struct{})
		go func() {
			defer close(asked)
			_, _ = c.Datasets.Query(t.Context(), datasets.Query{SQL: "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE (a.range * b.range) % 7 = 3"})
		}()
		awaitThat(t, "the question to reach a worker", func() bool { st, err := c.Datasets.Status(t.Context()); return err == nil && st.Busy == 1 })
		t.Log("the question was asked after", time.Since(began))
		children := childrenOf(t, p.process.Process.Pid)
		if len(children) == 0 {
			t.Fatal("the server has no workers")
		}
		p.kill()
		<-asked
		t.Log("the answer came after", time.Since(began))
		awaitThat(t, "the workers to end", func() bool {
			for _, pid := range children {
				if syscall.Kill(pid, 0) == nil && !isZombie(pid) {
					return false
				}
			}
			return true
		})
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(left) > 1 {
		t.Errorf("%d directories of servers that were killed are left; a start removes them", len(left))
	}
}

// childrenOf returns the processes that a process has started.
func childrenOf(t *testing.T, parent int) (children []int) {
	t.Helper()
	all, err := os.ReadDir("/proc")
	if err != nil {
		t.Skip("there is no /proc")
	}
	for _, p := range all {
		pid, err := strconv.Atoi(p.Name())
		if err != nil {
			continue
		}
		if fields := statOf(pid); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			children = append(children, pid)
		}
	}
	return children
}

func isZombie(pid int) bool {
	fields := statOf(pid)
	return len(fields) == 0 || fields[0] == "Z"
}

// statOf returns what the kernel says of a process behind its name: the state, the parent.
func statOf(pid int) []string {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return strings.Fields(rest)
}
