package streams

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	nethttp "net/http"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	goodToken = apitest.Good
	knownJob  = apitest.KnownJob
)

// backend is everything behind the streams, in memory.
type backend struct {
	mu     sync.Mutex
	jobs   map[string]work.Job
	events map[string][]work.Event
	subs   []*mailbox
	panics atomic.Bool // taking from a mailbox panics
	closed int         // subscriptions that were closed

	queries     map[string]int // how often something was asked for
	filters     []work.JobFilter
	accessEpoch int64
	voidTokens  map[string]bool
	unsure      bool          // whether tokens are void cannot be known
	slow        time.Duration // an answer may be so old when it arrives
	role        string        // that every user has now; "" = the one it was authenticated with
	onJob       func()        // called when a job is read, if set
	tickets     map[string]access.Principal
	lanes       []work.LaneUsage
	user        access.User // who every token is for
	rows        map[access.Permission]access.RowSet
	expires     kappa.Time // when every token is void

	pruned  int64 // events up to this number are not kept
	revoked bool
	err     error // what everything fails with, if set
}

func newBackend() *backend {
	b := &backend{
		jobs: map[string]work.Job{}, events: map[string][]work.Event{}, queries: map[string]int{},
		voidTokens: map[string]bool{}, tickets: map[string]access.Principal{}, accessEpoch: 1,
		user: access.User{ID: access.AdminUserID, Username: "admin", Role: access.RolePlatformAdmin},
	}
	b.jobs[knownJob] = job(work.StatusAwaitingApproval)
	return b
}

func job(status work.Status) work.Job { return apitest.Job(status) }

func (b *backend) Authenticate(_ context.Context, bearer string) (access.Principal, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	scopes := []string{"read:*", "write:*"}
	switch {
	case bearer == "disabled":
		return access.Principal{}, kappa.NewError(kappa.CodeForbidden, "User account is disabled")
	case bearer == apitest.ReadOnly:
		scopes = scopes[:1]
	case !strings.HasPrefix(bearer, goodToken) || b.revoked:
		return access.Principal{}, kappa.NewError(kappa.CodeUnauthenticated, "Could not validate credentials")
	}
	return access.Principal{User: b.user, Rows: b.rows, ClientID: "kg-cli-admin-00000000", Scopes: scopes, TokenID: "id of " + bearer, ExpiresAt: b.expires}, nil
}

func (b *backend) Job(_ context.Context, id string) (work.Job, error) {
	b.count("job")
	defer b.pause()
	if b.onJob != nil {
		b.onJob()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	j, ok := b.jobs[id]
	if b.err != nil {
		return work.Job{}, b.err
	}
	if !apitest.JobID.MatchString(id) {
		return work.Job{}, errors.New("asked for what is no job id")
	}
	if !ok {
		return work.Job{}, kappa.NewError(kappa.CodeNotFound, "Job not found: "+id)
	}
	return j, nil
}

func (b *backend) EventsAfter(_ context.Context, id string, seq int64, limit int) ([]work.Event, error) {
	b.count("events after")
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []work.Event
	for _, e := range b.events[id] {
		if e.Seq > max(seq, b.pruned) && len(out) < limit {
			out = append(out, e)
		}
	}
	return out, b.err
}

// commit stores the next event of a job without a notification, and returns it.
func (b *backend) commit(id string, kind work.EventKind, payload string) work.Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	j := b.jobs[id]
	j.EventSeq++
	if kind.Terminal() {
		j.Status = work.Status(kind)
	}
	b.jobs[id] = j
	e := work.Event{JobID: id, Seq: j.EventSeq, Kind: kind, Payload: json.RawMessage(payload)}
	b.events[id] = append(b.events[id], e)
	return e
}

func testConfig(b *backend) Config {
	return Config{
		Access: accessBackend{b}, Tickets: b, Jobs: b, Events: b, Hub: b, Lanes: b, Log: slog.New(slog.DiscardHandler),
		Limits: Limits{spread: 20 * time.Millisecond},
	}
}

// server serves streams, and the page that panics.
type server struct {
	*API
	web *http.Server
}

// authenticator is what the backend is besides, for the router.
type authenticator interface {
	Authenticate(ctx context.Context, bearer string) (access.Principal, error)
	Reexamine(ctx context.Context, p access.Principal) error
}

func newTestServer(t testing.TB, cfg Config) server {
	t.Helper()
	return newServerWith(t, http.Config{}, cfg)
}

func newServerWith(t testing.TB, web http.Config, cfg Config) server {
	t.Helper()
	web.Auth, web.Log = cfg.Access.(authenticator), cfg.Log
	s := server{API: New(cfg)}
	s.web = apitest.ServeWith(t, web, s.API, other{})
	return s
}

// other is a resource beside the streams.
type other struct{}

func (other) Register(r *http.Router) error {
	http.Register(r, http.Route{Method: "GET", Path: "/other/{name}", Permission: access.GraphRead, ID: "graph.other", Summary: "Panic"},
		func(_ context.Context, in *struct {
			Name string `path:"name"`
		},
		) (struct{}, error) {
			if in.Name == "panic" {
				panic("boom with a secret")
			}
			return struct{}{}, nil
		})
	return nil
}

// run serves on a port of its own; see apitest.Run.
func run(t testing.TB, cfg Config) (addr string, stop func() error) {
	t.Helper()
	return apitest.Run(t, newTestServer(t, cfg).web)
}

func call(t testing.TB, s server, r apitest.Request) (*nethttp.Response, string) {
	t.Helper()
	return apitest.Call(t, s.web, r)
}
