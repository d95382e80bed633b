package streams

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	nethttp "net/http"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

// principalWith returns who a token is for.
func principalWith(token string, userID int) access.Principal {
	return access.Principal{User: access.User{ID: userID, Role: access.RolePlatformAdmin}, TokenID: token, Scopes: []string{"read:*"}}
}

func TestAccessWatch(t *testing.T) {
	b := newBackend()
	s := newTestServer(t, testConfig(b))
	w := s.accessWatch()
	check := func() {
		t.Helper()
		if err := w.runOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	user := access.User{ID: 7, Role: access.RolePlatformAdmin}
	open := func(token string, demands ...access.Permission) *openStream {
		t.Helper()
		p := principalWith(token, 7)
		p.User = user
		o, err := s.streams.add(p, time.Now(), demands...)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	check()
	if len(b.queries) != 0 {
		t.Errorf("queries without a stream: %v", b.queries)
	}
	first, second, other := open("a"), open("a"), open("b", access.JobsRead)
	check()
	check()
	if b.counted("access epoch") != 2 || b.counted("reexamine a") != 1 || b.counted("reexamine b") != 1 {
		t.Errorf("queries %v, want one query for each token", b.queries)
	}
	b.void("a")
	check()
	if !first.revoked.Load() || !second.revoked.Load() || other.revoked.Load() {
		t.Error("not exactly the streams of the void token have ended")
	}
	if len(first.wake.C()) != 1 {
		t.Error("the stream was not woken")
	}
	t.Run("a database that is away ends nothing, and is asked again", func(t *testing.T) {
		b.void("b")
		b.err = errors.New("down")
		if err := w.runOnce(t.Context()); err == nil || other.revoked.Load() {
			t.Errorf("error %v, ended %v", err, other.revoked.Load())
		}
		b.err, b.unsure = nil, true
		if err := w.runOnce(t.Context()); err == nil || other.revoked.Load() {
			t.Errorf("error %v, ended %v", err, other.revoked.Load())
		}
		b.unsure = false
		check()
		if !other.revoked.Load() {
			t.Error("it goes on")
		}
	})
	t.Run("a right that ends by itself is asked for when it has, without another epoch", func(t *testing.T) {
		timed := func(token string, end time.Duration) *openStream {
			p := principalWith(token, 7)
			p.RightsEnd = time.Now().Add(end)
			o, err := s.streams.add(p, time.Now(), access.JobsRead)
			if err != nil {
				t.Fatal(err)
			}
			return o
		}
		check()
		ended, later := timed("ended", 0), timed("later", time.Hour)
		b.set(func() { b.voidTokens["ended"], b.voidTokens["later"] = true, true })
		check()
		if !ended.revoked.Load() || later.revoked.Load() {
			t.Errorf("the stream whose right has ended was ended: %v, the other one: %v", ended.revoked.Load(), later.revoked.Load())
		}
	})
	t.Run("a permission that it lacks ends it", func(t *testing.T) {
		user = access.User{ID: 7, Role: access.RoleReadOnly}
		reader, looker := open("c", access.JobsRead), open("c", access.JobsRead, access.WorkersView)
		b.set(func() { b.accessEpoch++ })
		check()
		if reader.revoked.Load() || !looker.revoked.Load() {
			t.Errorf("ended: %v and %v", reader.revoked.Load(), looker.revoked.Load())
		}
	})
}

// TestRevokedStreamsEnd takes a right away while streams use it (S09).
func TestRevokedStreamsEnd(t *testing.T) {
	b := withHistory(2, work.StatusProcessing)
	cfg := testConfig(b)
	cfg.Limits.recheck = 10 * time.Millisecond
	addr, stop := run(t, cfg)
	w, console := openWatch(t, "http://"+addr, ""), consoleOf(t, "http://"+addr, "?jobs=*")
	stays := openStreamOf(t, &nethttp.Transport{}, "http://"+addr+"/jobs/"+knownJob+"/stream", map[string]string{"Authorization": "Bearer good2"})
	w.want("2 snapshot")
	console.want("ready", "snapshot")
	stays.want("2 snapshot")
	b.void("id of good")
	for _, w := range []*watch{w, console} {
		if f := w.want("error"); string(f[0].data) != `{"error":"Access revoked"}` {
			t.Errorf("data %s", f[0].data)
		}
		w.wantEnd()
	}
	b.deliver(b.commit(knownJob, work.EventProgress, `{}`))
	stays.want("3 progress")
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// slowLists is a backend whose lists of jobs wait.
type slowLists struct {
	*backend
	asked, free chan struct{}
}

func (s slowLists) Jobs(ctx context.Context, f work.JobFilter) ([]work.Job, error) {
	select {
	case s.asked <- struct{}{}:
	default:
	}
	<-s.free
	return s.backend.Jobs(ctx, f)
}

// TestRevokedBeforeTheFirstFrame takes a right away while a stream takes long to
// find what it is to show first, and after it was examined for another's sake: it
// shows nothing (S09).
func TestRevokedBeforeTheFirstFrame(t *testing.T) {
	b := withHistory(2, work.StatusProcessing)
	cfg := testConfig(b)
	cfg.Limits.recheck = 10 * time.Millisecond
	lists := slowLists{b, make(chan struct{}, 1), make(chan struct{})}
	cfg.Jobs = lists
	addr, stop := run(t, cfg)
	checks := func(query string, more int) func() bool {
		had := b.counted(query)
		return func() bool { return b.counted(query) >= had+more }
	}
	opened := make(chan *watch, 1)
	go func() { opened <- consoleOf(t, "http://"+addr, "?jobs=*") }()
	<-lists.asked
	examined := checks("reexamine id of good", 1)
	b.set(func() { b.accessEpoch++ }) // somebody else's right was taken
	apitest.Eventually(t, "the stream is examined", examined)
	examined = checks("reexamine id of good", 1)
	b.void("id of good")
	apitest.Eventually(t, "the stream is examined again", examined)
	apitest.Eventually(t, "the right is checked twice more", checks("access epoch", 2))
	close(lists.free)
	w := <-opened
	if f := w.want("error"); string(f[0].data) != `{"error":"Access revoked"}` {
		t.Errorf("data %s", f[0].data)
	}
	w.wantEnd()
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestStreamsEndWithTheirToken has a token expire while a stream uses it (S09).
func TestStreamsEndWithTheirToken(t *testing.T) {
	b := withHistory(2, work.StatusProcessing)
	b.expires = kappa.At(time.Now().Add(300 * time.Millisecond))
	w := openWatch(t, listen(t, testConfig(b)), "")
	w.want("2 snapshot")
	if f := w.want("error"); string(f[0].data) != `{"error":"Access revoked"}` {
		t.Errorf("data %s", f[0].data)
	}
	if late := time.Since(b.expires.Time); late < 0 || late > 20*time.Second {
		t.Errorf("it ended %s after its token", late)
	}
	w.wantEnd()
}

func TestStreamsAreLimited(t *testing.T) {
	s := newStreams(Limits{Open: 3, OfUser: 2})
	first, _ := s.add(principalWith("a", 1), time.Now())
	_, _ = s.add(principalWith("b", 1), time.Now())
	_, ofUser := s.add(principalWith("c", 1), time.Now())
	_, _ = s.add(principalWith("d", 2), time.Now())
	_, ofAll := s.add(principalWith("e", 3), time.Now())
	for name, err := range map[string]error{"of a user": ofUser, "of all": ofAll} {
		if kappa.ErrorCode(err) != kappa.CodeRateLimited {
			t.Errorf("%s: error %v", name, err)
		}
	}
	s.remove(first)
	if _, err := s.add(principalWith("c", 1), time.Now()); err != nil {
		t.Errorf("after one has gone: %v", err)
	}

	b := withHistory(2, work.StatusProcessing)
	cfg := testConfig(b)
	cfg.Limits.OfUser = 1
	url := listen(t, cfg)
	w := openWatch(t, url, "")
	w.want("2 snapshot")
	refused := openWatch(t, url, "")
	if refused.resp.StatusCode != 429 || refused.resp.Header.Get("Retry-After") != "5" {
		t.Errorf("status %d, Retry-After %q", refused.resp.StatusCode, refused.resp.Header.Get("Retry-After"))
	}
	w.cancel()
	apitest.Eventually(t, "there is room again", func() bool {
		resp := openWatch(t, url, "").resp
		return resp.StatusCode == 200
	})
}

// slowAccess takes a second to examine somebody.
type slowAccess struct{ accessBackend }

func (a slowAccess) Reexamine(ctx context.Context, p access.Principal) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Second):
		return a.accessBackend.Reexamine(ctx, p)
	}
}

// TestAccessOfMany has more principals than can be examined in one check: the next
// check examines the others.
func TestAccessOfMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBackend()
		cfg := testConfig(b)
		cfg.Access = slowAccess{accessBackend{b}}
		s := newTestServer(t, cfg)
		s.streams.watched.Store(true)
		w := s.accessWatch()
		const many = 100
		var open []*openStream
		for i := range many {
			o, err := s.streams.add(principalWith(fmt.Sprint("token ", i), 7), time.Now())
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, o)
		}
		time.Sleep(time.Millisecond)
		b.void("token 7")
		checks := 0
		for err := errors.New("not begun"); err != nil && checks < 5; checks++ {
			err = w.runOnce(t.Context())
		}
		began := time.Now()
		if err := w.runOnce(t.Context()); err != nil {
			t.Fatalf("after %d checks: %v", checks, err)
		}
		for i, o := range open {
			if o.revoked.Load() != (i == 7) || i != 7 && o.confirmed.Load().Before(began) {
				t.Errorf("stream %d: ended %t, confirmed %s", i, o.revoked.Load(), o.confirmed.Load())
			}
		}
	})
}

// TestAccessWatchKnowsClients: API keys and sessions have no token of their own, and each is
// examined by itself.
func TestAccessWatchKnowsClients(t *testing.T) {
	b := newBackend()
	s := newTestServer(t, testConfig(b))
	for _, client := range []string{"kgk_1", "kgs_2", "kgs_2"} {
		p := principalWith("", 7)
		p.ClientID = client
		if _, err := s.streams.add(p, time.Now(), access.JobsRead); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.accessWatch().runOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := b.counted("reexamine "); n != 2 {
		t.Errorf("%d examinations, want one for each client", n)
	}
}
