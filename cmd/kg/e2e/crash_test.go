package e2e

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

// childServer is kg serve as a process of its own, on a private cluster.
type childServer struct {
	url     string
	process *exec.Cmd
	log     string // file
}

// startChild runs kg serve on a data directory, with further settings.
func startChild(t *testing.T, dataDir string, settings ...string) *childServer {
	t.Helper()
	self, err := os.Executable()
	check(t, err)
	return startProgram(t, self, dataDir, settings...)
}

// startShipped is startChild of the program as it is shipped, for what takes its memory or
// many times its work.
func startShipped(t *testing.T, dataDir string, settings ...string) *childServer {
	t.Helper()
	program, err := kgProgram()
	check(t, err)
	return startProgram(t, program, dataDir, settings...)
}

func startProgram(t *testing.T, program, dataDir string, settings ...string) *childServer {
	t.Helper()
	c := &childServer{log: filepath.Join(t.TempDir(), "serve.log")}
	log, err := os.Create(c.log)
	check(t, err)
	defer log.Close()
	c.process = exec.Command(program, "serve", "--addr", "127.0.0.1:0", "--data-dir", dataDir)
	c.process.Env = append(append(os.Environ(), actAsKG+"=1", "KG_ADMIN_PASSWORD="+testPassword, "DATABASE_URL=", "KG_DRAIN_SECONDS=1"), settings...)
	c.process.Stderr = log
	out, err := c.process.StdoutPipe()
	check(t, err)
	check(t, c.process.Start())
	t.Cleanup(c.kill)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "kg: serving on "); ok {
			c.url = url
			return c
		}
	}
	text, _ := os.ReadFile(c.log)
	t.Fatalf("the server did not start:\n%s", text)
	return nil
}

// kill ends the process as a crash would.
func (c *childServer) kill() {
	_ = c.process.Process.Kill() // it may be gone
	_ = c.process.Wait()
}

// stop ends the process as an operator would, and returns how it ended. Its log
// says that it was asked to.
func (c *childServer) stop() error {
	if err := c.process.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	err := c.process.Wait()
	if text, _ := os.ReadFile(c.log); strings.Count(string(text), "stopping the server, as requested") != 1 {
		err = errors.Join(err, fmt.Errorf("the log does not say once that the server stops:\n%s", text))
	}
	return err
}

// longText has so many paragraphs, of which no two say the same; five of them are a chunk
// of a hundred words.
func longText(paragraphs int) string {
	var b strings.Builder
	for i := range paragraphs {
		fmt.Fprintf(&b, "The component number %d of the system depends on module M%d. ", i, i%37)
		fmt.Fprintf(&b, "Project Orion%d uses the PostgreSQL database, which stores the events of lane L%d.\n\n", i%11, i%5)
	}
	return b.String()
}

// TestKillDuringJob kills the server while it works on a document, and compares what it
// made in the end with the work of a server that nobody killed.
func TestKillDuringJob(t *testing.T) {
	t.Parallel()
	killDuringJob(t, 1, 200)
}

// TestKillDuringJob_Slow kills it as often as a job is begun anew: one more would be
// quarantined, rightly.
func TestKillDuringJob_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	killDuringJob(t, work.QuarantineCrashes-1, 500)
}

func killDuringJob(t *testing.T, kills, paragraphs int) {
	t.Helper()
	dir := t.TempDir()
	check(t, os.Chmod(dir, 0o755)) // another user runs the cluster when this one is root
	text := []byte(longText(paragraphs))
	overlap, target := 0, 100
	document := client.Document{
		Body: text, Filename: "long.txt", Ontology: "o", AutoApprove: true,
		Chunking: corpus.ChunkRequest{TargetWords: &target, OverlapWords: &overlap},
	}

	server := startShipped(t, filepath.Join(dir, "data"))
	api := login(t, server.url)
	submitted, err := api.Documents.Submit(t.Context(), document)
	check(t, err)
	var atKill []int
	for len(atKill) < kills {
		enough := 10
		if len(atKill) > 0 {
			enough = atKill[len(atKill)-1] + 10
		}
		atKill = append(atKill, awaitChunks(t, api, submitted.JobID, enough))
		server.kill()
		server = startShipped(t, filepath.Join(dir, "data"))
		api = login(t, server.url)
	}
	began := time.Now()
	job := await(t, api, submitted.JobID, work.StatusCompleted)
	t.Logf("killed after chunks %v, done %s after the last start", atKill, time.Since(began))
	check(t, server.stop())

	unharmed := newDSN(t)
	whole := startShipped(t, filepath.Join(dir, "whole"), "DATABASE_URL="+unharmed)
	api = login(t, whole.url)
	submitted, err = api.Documents.Submit(t.Context(), document)
	check(t, err)
	other := await(t, api, submitted.JobID, work.StatusCompleted)
	check(t, whole.stop())

	if job.Attempt != kills+1 || other.Attempt != 1 {
		t.Errorf("the jobs took %d and %d attempts", job.Attempt, other.Attempt)
	}
	if !reflect.DeepEqual(job.Progress, other.Progress) {
		t.Errorf("the progress of the killed one is %+v, of the other %+v", *job.Progress, *other.Progress)
	}
	got, want := graphOf(t, filepath.Join(dir, "data"), job), graphOfJob(t, unharmed, other)
	if !slices.Equal(got, want) {
		t.Errorf("the graphs differ: %d lines and %d lines; first difference: %s", len(got), len(want), difference(got, want))
	}
}

// awaitChunks waits until a job has stored at least so many chunks.
func awaitChunks(t *testing.T, api *client.Client, id string, least int) (stored int) {
	t.Helper()
	until(t, func() bool {
		job, err := api.Jobs.Get(t.Context(), id)
		check(t, err)
		if job.Status.Terminal() {
			t.Fatalf("the job was over before it could be killed: %s %s", job.Status, deref(job.Error))
		}
		if job.Progress != nil {
			stored = work.ReadIngestionProgress(job.Progress.Counters).ChunksProcessed
		}
		return stored >= least
	}, func() string { return "the job makes no progress" })
	return stored
}

// graphOf starts the cluster of a server that has ended, and is graphOfJob.
func graphOf(t *testing.T, dataDir string, job work.Job) []string {
	t.Helper()
	cluster, err := pgembed.Start(t.Context(), pgembed.Config{Dir: filepath.Join(dataDir, "postgres"), BinDir: os.Getenv("KG_PG_BIN")})
	check(t, err)
	defer func() { check(t, cluster.Stop(t.Context())) }()
	return graphOfJob(t, cluster.DSN(pgembed.Database), job)
}

// graphOfJob reads what a job made, without what may differ between two
// installations, and checks the numbers of its events.
func graphOfJob(t *testing.T, dsn string, job work.Job) []string {
	t.Helper()
	if n := rows(t, dsn, "SELECT count(*) FROM kg_api.job_history WHERE job_id = $1", job.ID); int64(n) != job.EventSeq {
		t.Errorf("%d events, the last one has number %d", n, job.EventSeq)
	}
	if n := rows(t, dsn, "SELECT count(*) FROM kg_api.job_history WHERE kind = 'completed' AND job_id = $1", job.ID); n != 1 {
		t.Errorf("%d completions of the job are recorded", n)
	}
	return graphLines(t, dsn)
}

// graphLines reads a graph, without what may differ between two installations, such as the
// ids of sources: they come from a random key of the ontology.
func graphLines(t *testing.T, dsn string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	check(t, err)
	defer conn.Close(t.Context())
	found, err := conn.Query(t.Context(), `
		SELECT 'chunk ' || s.chunk_number || ' ' || s.full_text FROM kg_api.sources s
		UNION ALL SELECT 'concept ' || c.label FROM kg_api.concepts c
		UNION ALL SELECT 'quote ' || c.label || ' ' || i.start_byte || ' ' || i.end_byte || ' ' || i.quote
			FROM kg_api.instances i JOIN kg_api.concepts c ON c.id = i.concept
		UNION ALL SELECT 'edge ' || a.label || ' ' || t.name || ' ' || b.label || ' ' || e.confidence
			FROM kg_api.edges e JOIN kg_api.concepts a ON a.id = e.src JOIN kg_api.concepts b ON b.id = e.dst
			JOIN kg_api.relationship_types t ON t.id = e.type
		ORDER BY 1`)
	check(t, err)
	lines, err := pgx.CollectRows(found, pgx.RowTo[string])
	check(t, err)
	if len(lines) < 100 {
		t.Errorf("the graph has only %d lines", len(lines))
	}
	return lines
}

func difference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("%q against %q", a[i], b[i])
		}
	}
	return "one ends before the other"
}
