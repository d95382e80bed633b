package http

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	nethttp "net/http"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	goodToken = "good"
	readToken = "read-only"
	knownJob  = "job_0123456789ab"
)

// formOfJobID is that of kappa.IsJobID, which may be what is broken.
var formOfJobID = regexp.MustCompile(`\Ajob_[0-9a-f]{12}\z`)

// backend is everything behind the API, in memory.
type backend struct {
	sample

	mu     sync.Mutex
	jobs   map[string]kappa.Job
	events map[string][]kappa.Event
	subs   []*mailbox
	panics atomic.Bool // whoever takes from a mailbox
	closed int         // subscriptions that were closed

	queries     map[string]int // how often something was asked for
	filters     []kappa.JobFilter
	accessEpoch int64
	voidTokens  map[string]bool
	unsure      bool          // whether tokens are void cannot be known
	slow        time.Duration // an answer may be so old when it arrives
	role        string        // that every user has now; "" = the one it was authenticated with
	onJob       func()        // called when a job is read, if set
	tickets     map[string]kappa.Principal
	lanes       []kappa.LaneUsage
	user        kappa.User // who every token is for
	expires     kappa.Time // when every token is void

	pruned  int64 // events up to this number are not kept
	revoked bool
	err     error // what everything fails with, if set
	wait    chan struct{}
}

func newBackend() *backend {
	b := &backend{
		jobs: map[string]kappa.Job{}, events: map[string][]kappa.Event{}, queries: map[string]int{},
		voidTokens: map[string]bool{}, tickets: map[string]kappa.Principal{}, accessEpoch: 1,
		user: kappa.User{ID: kappa.AdminUserID, Username: "admin", Role: kappa.RolePlatformAdmin},
	}
	b.jobs[knownJob] = job(kappa.StatusAwaitingApproval)
	return b
}

func job(status kappa.Status) kappa.Job {
	j := kappa.Job{ID: knownJob, Type: "ingestion", Status: status, UserID: kappa.AdminUserID}
	j.CreatedAt = kappa.At(time.Date(2026, 1, 31, 8, 0, 0, 123e6, time.UTC))
	j.EventSeq = 2
	return j
}

func (b *backend) Authenticate(_ context.Context, bearer string) (kappa.Principal, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	scopes := []string{"read:*", "write:*"}
	switch {
	case bearer == "disabled":
		return kappa.Principal{}, kappa.NewError(kappa.CodeForbidden, "User account is disabled")
	case bearer == readToken:
		scopes = scopes[:1]
	case !strings.HasPrefix(bearer, goodToken) || b.revoked:
		return kappa.Principal{}, kappa.NewError(kappa.CodeUnauthenticated, "Could not validate credentials")
	}
	return kappa.Principal{User: b.user, ClientID: "kg-cli-admin-00000000", Scopes: scopes, TokenID: "id of " + bearer, ExpiresAt: b.expires}, nil
}

func (b *backend) Job(_ context.Context, id string) (kappa.Job, error) {
	b.count("job")
	defer b.pause()
	if b.onJob != nil {
		b.onJob()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	j, ok := b.jobs[id]
	if b.err != nil {
		return kappa.Job{}, b.err
	}
	if !formOfJobID.MatchString(id) {
		return kappa.Job{}, errors.New("asked for what is no job id")
	}
	if !ok {
		return kappa.Job{}, kappa.NewError(kappa.CodeNotFound, "Job not found: "+id)
	}
	return j, nil
}

func (b *backend) EventsAfter(_ context.Context, id string, seq int64, limit int) ([]kappa.Event, error) {
	b.count("events after")
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []kappa.Event
	for _, e := range b.events[id] {
		if e.Seq > max(seq, b.pruned) && len(out) < limit {
			out = append(out, e)
		}
	}
	return out, b.err
}

// commit stores the next event of a job without telling anybody, and returns it.
func (b *backend) commit(id string, kind kappa.EventKind, payload string) kappa.Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	j := b.jobs[id]
	j.EventSeq++
	if kind.Terminal() {
		j.Status = kappa.Status(kind)
	}
	b.jobs[id] = j
	e := kappa.Event{JobID: id, Seq: j.EventSeq, Kind: kind, Payload: json.RawMessage(payload)}
	b.events[id] = append(b.events[id], e)
	return e
}

func testConfig(b *backend) Config {
	return Config{
		Auth: accessBackend{b}, Access: accessBackend{b}, Tickets: b, Jobs: b, Events: b, Hub: b, Lanes: b,
		Version: "test", Log: slog.New(slog.DiscardHandler),
		Limits: Limits{StreamSpread: 20 * time.Millisecond},
	}
}

func newTestServer(t testing.TB, cfg Config) *Server {
	t.Helper()
	s, err := New(cfg, sampleOf(cfg))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// request is one call of the API as a test writes it.
type request struct {
	method, path string
	query        string // as it is; replaces that of the path
	body         string
	contentType  string
	token        string // "" is the good one, "-" is none
	header       map[string]string
}

// call sends a request to the handler and returns the answer and its body.
func call(t testing.TB, s *Server, r request) (*nethttp.Response, string) {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), r.method, r.path, strings.NewReader(r.body))
	if r.query != "" {
		req.URL.RawQuery = r.query
	}
	if r.contentType == "" && r.body != "" {
		r.contentType = "application/json"
	}
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	switch r.token {
	case "":
		req.Header.Set("Authorization", "Bearer "+goodToken)
	case "-":
	default:
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, req)
	resp := w.Result()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// wantProblem checks that an answer is a problem document with the status, and
// returns it.
func wantProblem(t testing.TB, resp *nethttp.Response, body string, status int) problem {
	t.Helper()
	var p problem
	if resp.StatusCode != status {
		t.Fatalf("status %d with %s, want %d", resp.StatusCode, body, status)
	}
	if got := resp.Header.Get("Content-Type"); got != problemType {
		t.Errorf("Content-Type %q, want %q", got, problemType)
	}
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatalf("problem %q: %v", body, err)
	}
	if p.Status != status || p.Title != nethttp.StatusText(status) || p.Detail == "" || p.Type != "about:blank" || p.RequestID == "" {
		t.Errorf("problem %+v is not complete", p)
	}
	return p
}
