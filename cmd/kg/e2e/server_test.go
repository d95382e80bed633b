package e2e

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/cli"
	"github.com/kappagraph/kappa/cmd/kg/serve"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

const testPassword = "correct horse battery"

// testServer is the real server, wired as kg serve wires it, on a database of
// its own.
type testServer struct {
	url     string
	dsn     string
	dataDir string
	client  *client.Client
	logs    *lockedBuffer
	stop    func() // as a signal does; waits until the server has ended

	login sync.Once
	held  string // a token of the administrator's, from the first time that one was needed
}

// token returns a token that many requests share: to log in takes a password to be hashed.
func (s *testServer) token(t *testing.T) string {
	t.Helper()
	s.login.Do(func() { s.held = token(t, s) })
	return s.held
}

// lockedBuffer collects the log.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// withoutDebug returns the lines that are not for debugging.
func (b *lockedBuffer) withoutDebug() string {
	var lines strings.Builder
	for line := range strings.Lines(b.String()) {
		if !strings.Contains(line, " level=DEBUG ") {
			lines.WriteString(line)
		}
	}
	return lines.String()
}

// startServer runs a server until the test ends, with settings by name.
func startServer(t *testing.T, settings map[string]string) *testServer {
	t.Helper()
	s := beginServer(t, settings)
	s.client = login(t, s.url)
	return s
}

// beginServer is startServer for who logs in otherwise: the client is nil.
func beginServer(t *testing.T, settings map[string]string) *testServer {
	t.Helper()
	s := &testServer{dsn: settings["DATABASE_URL"], dataDir: t.TempDir(), logs: &lockedBuffer{}}
	if s.dsn == "" {
		s.dsn = newDSN(t)
	}
	values := map[string]string{
		"KG_ADDR": "127.0.0.1:0", "DATABASE_URL": s.dsn, "KG_DATA_DIR": s.dataDir, "KG_ADMIN_PASSWORD": testPassword,
		"KG_TEST_TYPES": "1", "KG_DRAIN_SECONDS": "1", "KG_LOG_LEVEL": "debug",
		"KG_POOL_JOBS": "6", "KG_POOL_GRAPH": "4", "KG_POOL_AUTH": "2",
	}
	maps.Copy(values, settings)
	var environ []string
	for name, value := range values {
		environ = append(environ, name+"="+value)
	}
	cmd := serve.NewCommand(version, environ, cli.ExamineServer)
	cmd.SetArgs([]string{"--config", os.DevNull})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	ctx, stop := context.WithCancel(t.Context())
	out, ready := io.Pipe()
	cmd.SetOut(ready)
	cmd.SetErr(s.logs)
	done := make(chan error, 1)
	go func() {
		done <- cmd.ExecuteContext(ctx)
		ready.Close()
	}()
	s.stop = sync.OnceFunc(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the server ended with: %v", err)
		}
	})
	t.Cleanup(func() {
		s.stop()
		if t.Failed() {
			t.Logf("the server's log, without what it logs for debugging:\n%s", s.logs.withoutDebug())
		}
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "kg: serving on "); ok {
			s.url = url
			break
		}
	}
	if s.url == "" {
		t.Fatalf("the server did not start:\n%s", s.logs)
	}
	return s
}

// login returns a client that acts for the administrator.
func login(t *testing.T, url string) *client.Client {
	t.Helper()
	anonymous, err := client.New(client.Config{BaseURL: url})
	check(t, err)
	defer anonymous.Close()
	credentials, err := anonymous.Login(t.Context(), "admin", testPassword, "test")
	check(t, err)
	c, err := client.New(client.Config{BaseURL: url, ClientID: credentials.ClientID, ClientSecret: credentials.Secret, HTTPClient: describedClient(t, url)})
	check(t, err)
	t.Cleanup(c.Close)
	return c
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// await follows a job until it has the status, or ends in another one.
func await(t *testing.T, c *client.Client, id string, want work.Status) work.Job {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for {
		job, err := c.Jobs.Get(ctx, id)
		check(t, err)
		if job.Status == want {
			return job
		}
		if job.Status.Terminal() {
			t.Fatalf("%s is %s, want %s (error: %v)", id, job.Status, want, deref(job.Error))
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s is still %s, want %s", id, job.Status, want)
		case <-time.After(20 * time.Millisecond): // polled on purpose: the stream has its own tests
		}
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

const lanesText = `Worker lanes are typed job queues that PostgreSQL coordinates. A worker lane claims approved jobs for its free
slots. A claim token is a number from a sequence. Every write of a worker names its claim token, so a stale worker changes
nothing. PostgreSQL is a relational database. The heartbeat renews the lease of a worker. A lease is a period in which a worker
may act. Leases prevent double execution. The scheduler depends on the leader election. Typed lanes such as the interactive
lane and the maintenance lane have their own slots.`

// TestMainJob walks a document from its submission to an answer with a source.
func TestMainJob(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	seldomPolls(t, s.client)
	ctx := t.Context()
	submitted, err := s.client.Documents.Submit(ctx, client.Document{Body: []byte(lanesText), Filename: "lanes.txt", Ontology: "ops/notes", SourceType: "file"})
	check(t, err)
	job := await(t, s.client, submitted.JobID, work.StatusAwaitingApproval)
	if job.Analysis == nil || job.Analysis.FileStats.WordCount != len(strings.Fields(lanesText)) || job.Analysis.FileStats.EstimatedChunks != 1 || job.ExpiresAt == nil {
		t.Errorf("the analysis is %+v, expires %v", job.Analysis, job.ExpiresAt)
	}

	t.Run("the same document again is a duplicate, in another ontology it is not", func(t *testing.T) {
		again, err := s.client.Documents.Submit(ctx, client.Document{Body: []byte(lanesText), Filename: "copy.txt", Ontology: "ops/notes"})
		check(t, err)
		if !again.Duplicate || again.JobID != job.ID || !strings.Contains(again.Message, "waiting for approval") {
			t.Errorf("got %+v", again)
		}
		other, err := s.client.Documents.Submit(ctx, client.Document{Body: []byte(lanesText), Filename: "copy.txt", Ontology: "other"})
		check(t, err)
		if other.Duplicate {
			t.Error("another ontology's submission is taken for a duplicate")
		}
		await(t, s.client, other.JobID, work.StatusAwaitingApproval)
		_, err = s.client.Jobs.Cancel(ctx, other.JobID)
		check(t, err)
	})

	updates := make(chan client.Update, 100)
	var watching sync.WaitGroup
	watching.Go(func() {
		defer close(updates)
		for u, err := range s.client.Jobs.Watch(ctx, job.ID) {
			if err != nil {
				t.Error(err)
				return
			}
			updates <- u
		}
	})
	first := <-updates // the snapshot: the watch has begun
	_ = first
	_, err = s.client.Jobs.Approve(ctx, job.ID)
	check(t, err)
	if _, err = s.client.Jobs.Approve(ctx, job.ID); kappa.ErrorCode(err) != kappa.CodeConflict {
		t.Errorf("approving twice gives %v", err)
	}
	job = await(t, s.client, job.ID, work.StatusCompleted)
	if _, err = s.client.Jobs.Cancel(ctx, job.ID); kappa.ErrorCode(err) != kappa.CodeConflict {
		t.Errorf("cancelling a finished job gives %v", err)
	}
	watching.Wait()
	var kinds []string
	for u := range updates {
		kinds = append(kinds, string(u.Kind))
	}
	if got := strings.Join(kinds, " "); !strings.HasPrefix(got, "status status progress") || !strings.HasSuffix(got, "status completed") {
		t.Errorf("the stream told %q", got)
	}
	if job.StartedAt.Sub(job.ApprovedAt.Time) > seldomPoll/2 {
		t.Errorf("the job started %s after its approval: the lane was not woken", job.StartedAt.Sub(job.ApprovedAt.Time))
	}
	answers(t, s)
}

// answers asks the graph what the document said.
func answers(t *testing.T, s *testServer) {
	ctx := t.Context()
	found, err := s.client.Graph.Search(ctx, questions.SearchQuery{Query: "claim tokens", Limit: 5, IncludeEvidence: true})
	check(t, err)
	if len(found.Results) == 0 || found.Results[0].Label != "claim token" {
		t.Fatalf("a search for claim tokens finds %+v", found.Results)
	}
	hit := found.Results[0]
	if len(hit.Sample) == 0 || hit.Documents[0] != "ops/notes" {
		t.Fatalf("the hit has no source: %+v", hit)
	}
	details, err := s.client.Concepts.Get(ctx, hit.ConceptID)
	check(t, err)
	for _, e := range details.Instances {
		if e.ContentType == nil || *e.ContentType != string(corpus.ContentPlain) || deref(e.Filename) != "lanes.txt" {
			t.Errorf("the quote stands in %q of type %q", deref(e.Filename), deref(e.ContentType))
		}
		if lanesText[e.Start:e.End] != e.Quote {
			t.Errorf("bytes %d to %d are %q, the quote is %q", e.Start, e.End, lanesText[e.Start:e.End], e.Quote)
		}
	}
	stats, err := s.client.Graph.Stats(ctx)
	check(t, err)
	if stats.Nodes.Concepts < 5 || stats.Nodes.Sources != 1 || stats.Relationships.Total == 0 {
		t.Errorf("the graph has %+v", stats)
	}
	ontologies, err := s.client.Ontologies.List(ctx)
	check(t, err)
	if len(ontologies) != 1 || ontologies[0].Name != "ops/notes" || ontologies[0].ConceptCount != stats.Nodes.Concepts {
		t.Errorf("the ontologies are %+v", ontologies)
	}
	concepts, err := s.client.Concepts.List(ctx, questions.ConceptFilter{Ontology: "ops/notes", Limit: 100})
	check(t, err)
	for _, from := range concepts.Concepts {
		related, err := s.client.Graph.Related(ctx, questions.RelatedQuery{ConceptID: from.ConceptID, MaxDepth: 2})
		check(t, err)
		if len(related.Results) == 0 {
			continue
		}
		far := related.Results[len(related.Results)-1]
		paths, err := s.client.Graph.Connect(ctx, questions.ConnectQuery{FromID: from.ConceptID, ToID: far.ConceptID, MaxHops: 5})
		check(t, err)
		if len(paths.Paths) == 0 || paths.Paths[0].Hops != far.Distance {
			t.Errorf("from %s to %s, %d away, the paths are %+v", from.Label, far.Label, far.Distance, paths.Paths)
		}
		return
	}
	t.Error("no concept is related to another one")
}

// TestLanesWithoutRestart changes a lane while it runs. It polls seldom, and so does the worker
// ask what has become of its jobs: once in 12 seconds.
func TestLanesWithoutRestart(t *testing.T) {
	t.Parallel()
	s := startServer(t, map[string]string{"KG_TEST_LEASE_SECONDS": "60"})
	ctx := t.Context()
	off, on, one := false, true, 1
	_, err := s.client.Workers.UpdateLane(ctx, "interactive", work.LaneUpdate{Enabled: &off, PollIntervalMS: new(work.MaxPollIntervalMS)})
	check(t, err)
	reply, err := s.client.Jobs.Submit(ctx, work.NewJob{Type: work.TypeSleep, AutoApprove: true, Data: []byte(`{"ms":60000,"steps":600}`)})
	check(t, err)
	meanwhile(300 * time.Millisecond)
	if job, err := s.client.Jobs.Get(ctx, reply.JobID); err != nil || job.Status != work.StatusApproved {
		t.Fatalf("in a disabled lane the job is %s, %v", job.Status, err)
	}
	began := time.Now()
	change, err := s.client.Workers.UpdateLane(ctx, "interactive", work.LaneUpdate{Enabled: &on, MaxSlots: &one})
	check(t, err)
	if len(change.Changed) != 2 {
		t.Errorf("changed %+v", change.Changed)
	}
	await(t, s.client, reply.JobID, work.StatusProcessing)
	if took := time.Since(began); took > seldomPoll/2 {
		t.Errorf("resuming took %s: the lane was not notified", took)
	}
	second, err := s.client.Jobs.Submit(ctx, work.NewJob{Type: work.TypeNoop, AutoApprove: true})
	check(t, err)
	meanwhile(300 * time.Millisecond)
	if job, err := s.client.Jobs.Get(ctx, second.JobID); err != nil || job.Status != work.StatusApproved {
		t.Errorf("with its one slot taken the lane worked on %s: %s, %v", job.ID, job.Status, err)
	}
	status, err := s.client.Workers.Status(ctx)
	check(t, err)
	if status.RunningCount != 1 || status.TotalQueued != 1 || status.Leader == nil || len(status.Workers) != 1 {
		t.Errorf("the status is %+v", status)
	}

	// Q15: a cancel reaches the running job by notification.
	began = time.Now()
	_, err = s.client.Jobs.Cancel(ctx, reply.JobID)
	check(t, err)
	await(t, s.client, reply.JobID, work.StatusCancelled)
	if took := time.Since(began); took > 6*time.Second {
		t.Errorf("the cancel took %s: the worker was not notified", took)
	}
	await(t, s.client, second.JobID, work.StatusCompleted)
}

// TestTokenIsRequired asks for what needs a token without one.
func TestTokenIsRequired(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	for _, bearer := range []string{"", "garbage", "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMDAwIn0."} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/jobs", nil)
		check(t, err)
		if bearer != "" {
			req.Header.Set("Authorization", "Bearer "+bearer)
		}
		resp, err := http.DefaultClient.Do(req)
		check(t, err)
		resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized || resp.Header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("the token %q gets %d", bearer, resp.StatusCode)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// TestWakeUp approves jobs one after the other, in a lane that polls seldom.
func TestWakeUp(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	seldomPolls(t, s.client)
	var waits []time.Duration
	for range 20 {
		reply, err := s.client.Jobs.Submit(t.Context(), work.NewJob{Type: work.TypeNoop})
		check(t, err)
		_, err = s.client.Jobs.Approve(t.Context(), reply.JobID)
		check(t, err)
		job := await(t, s.client, reply.JobID, work.StatusCompleted)
		waits = append(waits, job.StartedAt.Sub(job.ApprovedAt.Time))
	}
	if slices.Max(waits) > seldomPoll/2 {
		t.Errorf("a job waited for the poll: %v", waits)
	}
	t.Log(fmt.Sprint("approved → started: ", waits))
}
