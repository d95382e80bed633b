package streams

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	nethttp "net/http"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

// envelope is the data of an event about a job on a stream of many.
type envelope struct {
	JobID string          `json:"job_id"`
	Seq   int64           `json:"seq"`
	Data  json.RawMessage `json:"data"`
}

// consoleOf follows many jobs.
func consoleOf(t testing.TB, url, query string) *watch {
	t.Helper()
	return openStreamOf(t, &nethttp.Transport{}, url+"/events"+query, map[string]string{"Authorization": "Bearer " + goodToken})
}

// sees checks the next events: "event job seq", the job by its last digit, or
// "event" alone for one that is about no job.
func (w *watch) sees(events ...string) []frame {
	w.t.Helper()
	var frames []frame
	for i, want := range events {
		f, err := readFrame(w.r)
		if err != nil {
			w.t.Fatalf("event %d of %v: %v", i, events, err)
		}
		var e envelope
		if err := json.Unmarshal(f.data, &e); err != nil {
			w.t.Fatalf("data %s: %v", f.data, err)
		}
		got := f.event
		if e.JobID != "" {
			got += fmt.Sprintf(" %s %d", strings.TrimLeft(e.JobID, "job_0"), e.Seq)
		}
		if got != want || f.id != 0 {
			w.t.Fatalf("event %q with id %d and %s, want %q", got, f.id, f.data, want)
		}
		frames = append(frames, f)
	}
	return frames
}

// jobNumber returns the id of a job by its number.
func jobNumber(n int) string { return fmt.Sprintf("job_%012x", n) }

// withJobs returns a backend with jobs 1, 2, … of these statuses, each newer
// than the one before and with as many events as its number.
func withJobs(statuses ...work.Status) *backend {
	b := newBackend()
	clear(b.jobs)
	for i, status := range statuses {
		b.addJob(i+1, status, "")
	}
	return b
}

func (b *backend) addJob(n int, status work.Status, ontology string) work.Job {
	b.mu.Lock()
	defer b.mu.Unlock()
	j := job(status)
	j.ID, j.EventSeq = jobNumber(n), int64(n)
	j.CreatedAt = kappa.At(j.CreatedAt.Add(time.Duration(n) * time.Second))
	if ontology != "" {
		j.Ontology = &ontology
	}
	b.jobs[j.ID] = j
	return j
}

// happen commits an event of a job and notifies.
func (b *backend) happen(n int, kind work.EventKind, payload string) {
	b.deliver(b.commit(jobNumber(n), kind, payload))
}

func TestOverview(t *testing.T) {
	t.Run("all jobs that are not over, then what happens to them", func(t *testing.T) {
		b := withJobs(work.StatusPending, work.StatusCompleted, work.StatusProcessing)
		w := consoleOf(t, listen(t, testConfig(b)), "?jobs=*")
		f := w.sees("ready", "snapshot 3 3", "snapshot 1 1")
		if string(f[0].data) != `{"truncated":false}` || !strings.Contains(string(f[1].data), `"data":{"job_id":"job_000000000003",`) {
			t.Errorf("data %s and %s", f[0].data, f[1].data)
		}
		b.happen(3, work.EventProgress, `{"percent":50}`)
		b.happen(1, work.EventStatus, `{"status":"approved"}`)
		f = w.sees("progress 3 4", "status 1 2")
		if want := `{"job_id":"job_000000000003","seq":4,"data":{"percent":50}}`; string(f[0].data) != want {
			t.Errorf("data %s, want %s", f[0].data, want)
		}
		b.happen(3, work.EventStatus, `{}`)
		b.happen(3, work.EventCompleted, ``)
		if f := w.sees("status 3 5", "completed 3 6"); !strings.HasSuffix(string(f[1].data), `"seq":6,"data":{}}`) {
			t.Errorf("data %s", f[1].data)
		}
	})
	t.Run("named jobs, also one that is over", func(t *testing.T) {
		b := withJobs(work.StatusPending, work.StatusCompleted, work.StatusProcessing)
		w := consoleOf(t, listen(t, testConfig(b)), "?jobs="+jobNumber(2)+","+jobNumber(1))
		w.sees("ready", "snapshot 2 2", "snapshot 1 1")
		b.happen(3, work.EventStatus, `{}`)
		b.happen(1, work.EventStatus, `{}`)
		w.sees("status 1 2")
	})
	t.Run("new jobs appear, and those that are over leave", func(t *testing.T) {
		b := withJobs(work.StatusProcessing)
		w := consoleOf(t, listen(t, testConfig(b)), "?jobs=*")
		w.sees("ready", "snapshot 1 1")
		b.addJob(2, work.StatusPending, "")
		b.happen(2, work.EventStatus, `{}`)
		w.sees("snapshot 2 3")
		b.happen(1, work.EventFailed, `{"error":"x"}`)
		w.sees("failed 1 2")
		b.deliver(b.events[jobNumber(1)][0]) // notified once more
		b.happen(2, work.EventProgress, `{}`)
		b.addJob(4, work.StatusProcessing, "")
		b.happen(4, work.EventCancelled, `{}`) // over before anybody read it
		w.sees("progress 2 4", "snapshot 4 5")
		b.deliver(b.events[jobNumber(4)][0])
		b.happen(2, work.EventStatus, `{}`)
		w.sees("status 2 5")
		if watched := b.mailboxes()[0].watches(); len(watched) != 1 {
			t.Errorf("it watches %v", watched)
		}
	})
	t.Run("the jobs of ontologies", func(t *testing.T) {
		b := withJobs()
		b.addJob(1, work.StatusProcessing, "a b")
		b.addJob(2, work.StatusProcessing, "other")
		b.addJob(3, work.StatusProcessing, "c/d")
		w := consoleOf(t, listen(t, testConfig(b)), "?ontology=a+b&ontology=c%2Fd")
		w.sees("ready", "snapshot 3 3", "snapshot 1 1")
		for n := 4; n <= 6; n++ {
			b.addJob(n, work.StatusApproved, map[int]string{4: "other", 6: "c/d"}[n])
			b.happen(n, work.EventStatus, `{}`)
		}
		b.happen(2, work.EventStatus, `{}`)
		w.sees("snapshot 6 7")
		reads := b.counted("jobs by ids")
		b.happen(2, work.EventStatus, `{}`) // known to be none of ours
		b.happen(6, work.EventStatus, `{}`)
		w.sees("status 6 8")
		if n := b.counted("jobs by ids"); n != reads {
			t.Errorf("%d reads more", n-reads)
		}
	})
	t.Run("a job that is deleted", func(t *testing.T) {
		b := withJobs(work.StatusProcessing, work.StatusProcessing)
		w := consoleOf(t, listen(t, testConfig(b)), "?jobs=*")
		w.sees("ready", "snapshot 2 2", "snapshot 1 1")
		b.set(func() { delete(b.jobs, jobNumber(2)) })
		b.notify(func(d *work.Delivery) { d.Gone = []string{jobNumber(2)}; d.Changed = []string{jobNumber(2)} })
		if f := w.sees("error 2 0"); string(f[0].data) != `{"job_id":"job_000000000002","data":{"error":"Job disappeared"}}` {
			t.Errorf("data %s", f[0].data)
		}
		b.happen(1, work.EventStatus, `{}`)
		w.sees("status 1 2")
	})
	t.Run("after lost messages it reads all again", func(t *testing.T) {
		b := withJobs(work.StatusProcessing, work.StatusCompleted)
		w := consoleOf(t, listen(t, testConfig(b)), "?jobs=*")
		w.sees("ready", "snapshot 1 1")
		b.addJob(3, work.StatusPending, "")
		ended := b.addJob(4, work.StatusFailed, "")
		ended.CompletedAt = new(kappa.At(time.Now()))
		b.set(func() { b.jobs[ended.ID] = ended })
		b.notify(func(d *work.Delivery) { d.Resync = true })
		w.sees("snapshot 4 4", "snapshot 3 3")
		b.notify(func(d *work.Delivery) { d.Resync = true })
		b.happen(3, work.EventStatus, `{}`)
		w.sees("status 3 4")
	})
	t.Run("a database that is away ends nothing", func(t *testing.T) {
		b := withJobs(work.StatusProcessing)
		w := consoleOf(t, listen(t, testConfig(b)), "?jobs=*")
		w.sees("ready", "snapshot 1 1")
		b.addJob(2, work.StatusPending, "")
		b.set(func() { b.err = errors.New("down") })
		b.notify(func(d *work.Delivery) { d.Changed = []string{jobNumber(2)} })
		apitest.Eventually(t, "it reads", func() bool { return b.counted("jobs by ids") >= 2 })
		b.set(func() { b.err = nil })
		w.sees("snapshot 2 2")
	})
	t.Run("a job that is notified before it can be read is shown when it can", func(t *testing.T) {
		b := withJobs(work.StatusProcessing)
		w := consoleOf(t, listen(t, testConfig(b)), "?jobs=*")
		w.sees("ready", "snapshot 1 1")
		b.notify(func(d *work.Delivery) { d.Changed = []string{jobNumber(2)} })
		apitest.Eventually(t, "it reads", func() bool { return b.counted("jobs by ids") >= 2 })
		b.addJob(2, work.StatusPending, "")
		w.sees("snapshot 2 2")
	})
	t.Run("a job that never was is not read again for long", func(t *testing.T) {
		b := withJobs()
		w := consoleOf(t, listen(t, testConfig(b)), "?jobs=*")
		w.sees("ready")
		before := b.counted("jobs by ids")
		b.notify(func(d *work.Delivery) { d.Changed = []string{jobNumber(2)} })
		apitest.Eventually(t, "it reads a few times", func() bool { return b.counted("jobs by ids")-before >= pollTries })
		await.Never(t, 3*pollPause, "it reads again", func() bool { return b.counted("jobs by ids")-before > pollTries })
	})
	t.Run("a subscription that ends ends it", func(t *testing.T) {
		b := withJobs()
		w := consoleOf(t, listen(t, testConfig(b)), "?jobs=*")
		w.sees("ready")
		b.notify(func(d *work.Delivery) { d.Ended = true })
		w.wantEnd()
		apitest.Eventually(t, "the subscription is closed", func() bool { return b.openStreams() == 0 })
	})
	t.Run("more jobs than it shows are counted", func(t *testing.T) {
		b := withJobs()
		for n := 1; n <= maxListed+3; n++ {
			b.addJob(n, work.StatusApproved, "")
		}
		w := consoleOf(t, listen(t, testConfig(b)), "?jobs=*")
		if f := w.sees("ready"); string(f[0].data) != `{"truncated":true}` {
			t.Errorf("data %s", f[0].data)
		}
		for n := maxListed + 3; n > 3; n-- {
			w.sees(fmt.Sprintf("snapshot %s %d", strings.TrimLeft(jobNumber(n), "job_0"), n))
		}
		b.happen(2, work.EventStatus, `{}`)
		w.sees("snapshot 2 3")
	})
	t.Run("many changes cost few reads, and nothing happening costs none", func(t *testing.T) {
		b := withJobs()
		cfg := testConfig(b)
		cfg.Limits.keepalive = 20 * time.Millisecond
		w := consoleOf(t, listen(t, cfg), "?jobs=*")
		w.sees("ready")
		b.set(func() { clear(b.queries) })
		w.sees("keepalive", "keepalive", "keepalive")
		if len(b.queries) > 0 {
			t.Errorf("queries %v", b.queries)
		}
		began := time.Now()
		pace := time.NewTicker(3 * time.Millisecond)
		defer pace.Stop()
		for n := range 100 {
			b.addJob(n+1, work.StatusCompleted, "")
			b.notify(func(d *work.Delivery) { d.Changed = append(d.Changed, jobNumber(n+1)) })
			<-pace.C
		}
		for seen := 0; seen < 100; {
			if f, err := readFrame(w.r); err != nil {
				t.Fatal(err)
			} else if f.event == "snapshot" {
				seen++
			}
		}
		if n, most := b.counted("jobs by ids"), 2+int(time.Since(began)/pollPause); n < 2 || n > most {
			t.Errorf("%d reads, want 2 to %d", n, most)
		}
	})
}

func TestOverviewRefuses(t *testing.T) {
	b := withJobs(work.StatusPending, work.StatusProcessing)
	b.lanes = []work.LaneUsage{{Lane: work.Lane{Name: "fast"}}}
	s := newTestServer(t, testConfig(b))
	many := make([]string, maxNamedJobs+1)
	for i := range many {
		many[i] = jobNumber(i)
	}
	for query, want := range map[string]string{
		"?jobs=x":     `422 jobs: must be job ids with commas between them, or *, got "x"`,
		"?jobs=":      `422 jobs: must be job ids with commas between them, or *, got ""`,
		"?jobs=*,*":   `422 jobs: must be job ids with commas between them, or *, got "*"`,
		"?ontology=":  `422 ontology: must not be empty`,
		"?lanes=":     `422 lanes: must be names of lanes with commas between them, or *, got ""`,
		"?job=x&a=1":  `422 a: is not a known parameter; known are jobs, ontology, lanes, ticket, token, access_token; job: is not a known parameter; did you mean jobs?`,
		"?jobs=%zz":   `422 query: must be encoded as the query of a URL`,
		"?lanes=slow": `404 Lane not found: slow`,
		"?jobs=" + many[9] + "," + many[1] + "," + many[8]: "404 Job not found: " + many[9] + ", " + many[8],
		"?jobs=" + strings.Join(many, ","):                 "422 jobs: must be at most 200",
		"?ontology=" + strings.Repeat("x", 5000):           "422 ontology: must have at most 200 characters, got 5000",
	} {
		resp, body := call(t, s, apitest.Request{Method: "GET", Path: "/events" + query})
		if p := apitest.WantProblem(t, resp, body, resp.StatusCode); fmt.Sprint(p.Status, " ", p.Detail) != want {
			t.Errorf("%s: %d %s, want %s", query, p.Status, p.Detail, want)
		}
	}
	t.Run("what may not be seen", func(t *testing.T) {
		b.user = access.User{ID: 1001, Username: "eve", Role: access.RoleReadOnly}
		resp, body := call(t, s, apitest.Request{Method: "GET", Path: "/events?lanes=*"})
		if p := apitest.WantProblem(t, resp, body, 403); p.Detail != "Permission denied: view on workers" {
			t.Errorf("detail %q", p.Detail)
		}
		resp, body = call(t, s, apitest.Request{Method: "GET", Path: "/events?jobs=" + jobNumber(1)})
		if p := apitest.WantProblem(t, resp, body, 404); p.Detail != "Job not found: job_000000000001" {
			t.Errorf("detail %q", p.Detail)
		}
	})
	if b.openStreams() != 0 || s.streams.count() != 0 {
		t.Errorf("%d subscriptions and %d streams are left", b.openStreams(), s.streams.count())
	}
}

func TestOverviewOfOwnJobs(t *testing.T) {
	b := withJobs(work.StatusPending)
	b.user = access.User{ID: 1001, Username: "eve", Role: "read_only"}
	own := func(n int) {
		j := b.addJob(n, work.StatusProcessing, "")
		j.UserID = 1001
		b.set(func() { b.jobs[j.ID] = j })
	}
	own(2)
	// The store filters; this one does not.
	b.set(func() { delete(b.jobs, jobNumber(1)) })
	w := consoleOf(t, listen(t, testConfig(b)), "")
	w.sees("ready", "snapshot 2 2")
	b.addJob(3, work.StatusProcessing, "")
	own(4)
	b.happen(3, work.EventStatus, `{}`)
	b.happen(4, work.EventStatus, `{}`)
	w.sees("snapshot 4 5")
	b.happen(3, work.EventStatus, `{}`)
	b.happen(2, work.EventStatus, `{}`)
	w.sees("status 2 3")
	for _, f := range b.filters {
		if f.Visible == nil || f.Visible.Owner != 1001 || !f.Visible.Empty() {
			t.Errorf("jobs of %+v were listed", f.Visible)
		}
	}
}
