package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/kappagraph/kappa/client"
	waiting "github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/webhooks"
	"github.com/kappagraph/kappa/work"
)

// receiver is a program that is told of events. It verifies each with the library of the
// specification, and knows which it has taken, by the document that they are about.
type receiver struct {
	t   *testing.T
	url string
	// bad answers in place of the receiver when it returns true; n counts the attempts at a
	// delivery, from 1.
	bad func(w http.ResponseWriter, r *http.Request, n int) bool

	mu       sync.Mutex
	secrets  []string
	attempts map[string]int
	taken    map[string]int      // by delivery
	order    map[string][]string // deliveries that were taken, by document
	events   map[webhooks.Event]int
}

func newReceiver(t *testing.T, bad func(w http.ResponseWriter, r *http.Request, n int) bool) *receiver {
	t.Helper()
	r := &receiver{t: t, bad: bad, attempts: map[string]int{}, taken: map[string]int{}, order: map[string][]string{}, events: map[webhooks.Event]int{}}
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections)
	r.url = s.URL + "/hook"
	return r
}

// expect has what comes be signed with one of the secrets.
func (r *receiver) expect(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets = secrets
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil || req.URL.Path != "/hook" {
		r.t.Errorf("%s: %v", req.URL, err)
		return
	}
	id := req.Header.Get("Webhook-Id")
	r.mu.Lock()
	r.attempts[id]++
	n, secrets := r.attempts[id], r.secrets
	r.mu.Unlock()
	for _, secret := range secrets {
		verifier, err := standard.NewWebhook(secret)
		if err == nil {
			err = verifier.Verify(body, req.Header)
		}
		if err != nil {
			r.t.Errorf("%s does not verify: %v", id, err)
		}
	}
	if r.bad != nil && r.bad(w, req, n) {
		return
	}
	var told struct {
		Type webhooks.Event `json:"type"`
		Data struct {
			Filename string `json:"filename"`
			JobID    string `json:"job_id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &told); err != nil {
		r.t.Errorf("%s: %v", body, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.taken[id]++; r.taken[id] == 1 {
		r.events[told.Type]++
		if told.Data.Filename != "" {
			r.order[told.Data.Filename] = append(r.order[told.Data.Filename], id)
		}
	}
}

// count returns how many deliveries were taken.
func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.taken)
}

// wantAll fails unless each delivery of a webhook has come, and those of each document in order.
func (r *receiver) wantAll(t *testing.T, c *client.Client, id string, least int) {
	t.Helper()
	all := map[string]bool{}
	for f := (webhooks.Filter{Limit: webhooks.MaxLimit}); ; {
		page, err := c.Webhooks.Deliveries(t.Context(), id, f)
		check(t, err)
		for _, d := range page.Deliveries {
			all[d.ID] = true
			if d.Status != webhooks.Delivered {
				t.Errorf("%s %s is %s: %s", d.ID, d.Event, d.Status, d.Error)
			}
		}
		if page.Next == nil {
			break
		}
		f.Cursor = *page.Next
	}
	if len(all) < least {
		t.Errorf("%d deliveries, want %d at least", len(all), least)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for id := range all {
		if r.taken[id] == 0 {
			t.Errorf("%s has not come", id)
		}
	}
	for document, ids := range r.order {
		seqs := make([]int64, len(ids))
		for i, id := range ids {
			key, _ := webhooks.ParseKey(id)
			seqs[i] = key.Seq
		}
		if !slices.IsSorted(seqs) {
			t.Errorf("what is told of %s came as %v", document, ids)
		}
	}
}

// settled waits until nothing waits for a webhook.
func settled(t *testing.T, c *client.Client, id string) {
	t.Helper()
	waiting.That(t, "everything is sent", func() bool {
		w, err := c.Webhooks.Get(t.Context(), id)
		return err == nil && w.Waiting == 0
	})
}

// TestWebhooks has a server tell a program of documents and jobs.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	s := startServer(t, map[string]string{"KG_WEBHOOK_PRIVATE": "allow"})
	r := newReceiver(t, nil)
	made, err := s.client.Webhooks.Create(t.Context(), webhooks.Settings{URL: r.url})
	check(t, err)
	r.expect(made.Secret)
	test, err := s.client.Webhooks.Test(t.Context(), made.ID)
	check(t, err)
	if !test.Delivered || *test.AnswerStatus != 200 || r.count() != 1 {
		t.Errorf("the test: %+v", test)
	}
	ingestVersions(t, s.client, "a.md", 2)
	again, err := s.client.Webhooks.Rotate(t.Context(), made.ID, time.Hour)
	check(t, err)
	r.expect(made.Secret, again.Secret) // both sign now
	ingestVersions(t, s.client, "b.md", 1)
	settled(t, s.client, made.ID)
	r.wantAll(t, s.client, made.ID, 6)
	want := map[webhooks.Event]int{webhooks.Test: 1, webhooks.DocumentAdded: 2, webhooks.DocumentChanged: 1, webhooks.JobCompleted: 3}
	for event, n := range want {
		if r.events[event] != n {
			t.Errorf("told of %v, want %v", r.events, want)
			break
		}
	}
	if log := s.logs.String(); strings.Contains(log, strings.TrimPrefix(made.Secret, "whsec_")) || strings.Contains(log, "/hook") {
		t.Error("the log has a secret, or the whole address of a receiver")
	}
	if n := rows(t, s.dsn, "SELECT count(*) FROM kg_api.webhook_secrets s WHERE position('whsec_' IN encode(s.sealed, 'escape')) > 0"); n != 0 {
		t.Error("secrets stand in the database as they are")
	}
	check(t, s.client.Webhooks.Delete(t.Context(), made.ID))
	if n := rows(t, s.dsn, "SELECT count(*) FROM kg_api.webhook_deliveries"); n != 0 {
		t.Errorf("%d deliveries of a webhook that was deleted", n)
	}
}

// TestWebhookReachesNothingInside: without the setting, no address inside is told.
func TestWebhookReachesNothingInside(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	r := newReceiver(t, nil)
	for _, url := range []string{r.url, strings.Replace(r.url, "127.0.0.1", "localhost", 1), "http://169.254.169.254/latest/meta-data", "http://[::1]/"} {
		made, err := s.client.Webhooks.Create(t.Context(), webhooks.Settings{URL: url})
		check(t, err)
		test, err := s.client.Webhooks.Test(t.Context(), made.ID)
		check(t, err)
		if test.Delivered || !strings.Contains(test.Error, "must lead to a server that may be reached") {
			t.Errorf("%s: %+v", url, test)
		}
	}
	if r.count() != 0 {
		t.Error("an address inside was reached")
	}
}

// ingestVersions ingests versions of a document, one after the other.
func ingestVersions(t *testing.T, c *client.Client, name string, n int) {
	t.Helper()
	for i := range n {
		await(t, c, submitVersionOf(t, c, name, i), work.StatusCompleted)
	}
}

// submitVersionOf submits a version of a document, and returns its job.
func submitVersionOf(t *testing.T, c *client.Client, name string, version int) string {
	t.Helper()
	text := fmt.Sprintf("Version %d of %s says that a lease ends when its worker is lost. Alice%d leads the team of Berlin.", version, name, version)
	submitted, err := c.Documents.Submit(t.Context(), client.Document{
		Body: []byte(text), Filename: name, Ontology: "hooks", AutoApprove: true, SourcePath: "/" + name,
	})
	check(t, err)
	return submitted.JobID
}

// campaignReceivers are receivers that are bad at the first attempt, one that is slow, and one
// that breaks off before it is back.
func campaignReceivers(t *testing.T, back chan struct{}) map[string]*receiver {
	t.Helper()
	end := make(chan struct{})
	t.Cleanup(func() { close(end) })
	pause := func(r *http.Request, d time.Duration) {
		select {
		case <-end:
		case <-r.Context().Done():
		case <-time.After(d):
		}
	}
	return map[string]*receiver{
		"good": newReceiver(t, nil),
		"fails": newReceiver(t, func(w http.ResponseWriter, _ *http.Request, n int) bool {
			if n == 1 {
				w.WriteHeader(http.StatusInternalServerError)
			}
			return n == 1
		}),
		"redirects": newReceiver(t, func(w http.ResponseWriter, r *http.Request, n int) bool {
			if n == 1 {
				http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
			}
			return n == 1
		}),
		"hangs": newReceiver(t, func(_ http.ResponseWriter, r *http.Request, n int) bool {
			key, _ := webhooks.ParseKey(r.Header.Get("Webhook-Id"))
			bad := n == 1 && key.Seq%4 == 0
			if bad {
				pause(r, time.Minute)
			}
			return bad
		}),
		"is slow": newReceiver(t, func(_ http.ResponseWriter, r *http.Request, _ int) bool {
			pause(r, 500*time.Millisecond)
			return false
		}),
		"is away": newReceiver(t, func(http.ResponseWriter, *http.Request, int) bool {
			select {
			case <-back:
				return false
			default:
				panic(http.ErrAbortHandler)
			}
		}),
	}
}

// dueNow has all that waits for another attempt be due: an operator does not wait for hours.
const dueNow = `WITH idle AS (SELECT webhook_id, seq FROM kg_api.webhook_deliveries WHERE status = 'pending' AND leased_until IS NULL FOR UPDATE SKIP LOCKED),
	due AS (UPDATE kg_api.webhook_deliveries d SET next_at = now() FROM idle i WHERE d.webhook_id = i.webhook_id AND d.seq = i.seq RETURNING 1)
	SELECT count(*) FROM due`

// TestWebhooksCampaign_Slow has servers tell receivers that fail, redirect, hang, are slow and come
// back late, and kills the servers with SIGKILL in the middle: whatever was written comes at least
// once, in order for each document, and jobs wait for no receiver.
func TestWebhooksCampaign_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	const documents, versions = 10, 4
	dsn, dir := newDSN(t), filepath.Join(t.TempDir(), "data")
	start := func() (*childServer, *client.Client) {
		server := startChild(t, dir, "DATABASE_URL="+dsn, "KG_WEBHOOK_PRIVATE=allow")
		return server, login(t, server.url)
	}
	server, api := start()
	back := make(chan struct{})
	receivers, ids := campaignReceivers(t, back), map[string]string{}
	for name, r := range receivers {
		made, err := api.Webhooks.Create(t.Context(), webhooks.Settings{URL: r.url, Description: name})
		check(t, err)
		r.expect(made.Secret)
		ids[name] = made.ID
	}
	for version := range versions {
		began := time.Now()
		var jobs []string
		for d := range documents {
			jobs = append(jobs, submitVersionOf(t, api, fmt.Sprintf("doc%d.md", d), version))
		}
		for _, id := range jobs {
			await(t, api, id, work.StatusCompleted)
		}
		t.Logf("version %d of %d documents: %s", version, documents, time.Since(began))
		if version < 2 { // much is being sent
			server.kill()
			server, api = start()
		}
	}
	if receivers["good"].count() == 0 || receivers["hangs"].count() == 0 {
		t.Error("a receiver was told of nothing while the others were bad")
	}
	close(back)
	for _, name := range slices.Sorted(maps.Keys(receivers)) {
		waiting.That(t, "the receiver that "+name+" is told of everything", func() bool {
			rows(t, dsn, dueNow)
			w, err := api.Webhooks.Get(t.Context(), ids[name])
			check(t, err)
			return w.Waiting == 0
		})
		r := receivers[name]
		r.wantAll(t, api, ids[name], documents*versions*2)
		again := 0
		for _, times := range r.taken {
			again += times - 1
		}
		t.Logf("%s: %d deliveries, %d of them came again", name, r.count(), again)
	}
}
