package remote_test

import (
	"io"
	nethttp "net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// TestX12_Sockets opens sockets that never join: the worker that is there already goes
// on, and what is too many is refused before it is a WebSocket.
func TestX12_Sockets(t *testing.T) {
	t.Parallel()
	checkSockets(t, 300, 300)
}

func TestX12_Sockets_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkSockets(t, 10_000, 999) // beside the worker's own
}

func checkSockets(t *testing.T, sockets, want int) {
	t.Helper()
	s := newRemoteServer(t, "")
	p := s.kappaWorker(t, lanes.NewID())
	ref, _ := p.joinKappa("*:1")
	var group sync.WaitGroup
	var open, refused atomic.Int64
	begin := make(chan int)
	var mu sync.Mutex
	var conns []*websocket.Conn
	for range 32 {
		group.Go(func() {
			for i := range begin {
				conn, resp, err := websocket.Dial(t.Context(), s.url+"/worker/websocket?vsn=2.0.0&token="+freshToken(t, "idle-"+strconv.Itoa(i)), nil)
				switch {
				case err == nil:
					open.Add(1)
					mu.Lock()
					conns = append(conns, conn)
					mu.Unlock()
				case resp != nil && resp.StatusCode == nethttp.StatusServiceUnavailable:
					refused.Add(1)
				default:
					t.Errorf("socket %d: %v", i, err)
				}
			}
		})
	}
	for i := range sockets {
		begin <- i
	}
	close(begin)
	group.Wait()
	if open.Load() != int64(want) || refused.Load() != int64(sockets-want) {
		t.Errorf("%d sockets are open and %d were refused, want %d and %d", open.Load(), refused.Load(), want, sockets-want)
	}
	s.submit(t, "exec", "q", `{}`)
	p.end(ref, p.take(ref, "g1", "*"), 1, work.StatusCompleted)
	for _, conn := range conns {
		_ = conn.CloseNow()
	}
	apitest.Eventually(t, "their places are free", func() bool { return s.server.Stats().Workers[[2]string{"joining", "compat"}] == 0 })
}

// TestX12_Refusals has everybody refused who may not be a worker, without a word of
// the token in the answer or in the log (also property 25).
func TestX12_Refusals(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	good := freshToken(t, "w")
	parts := strings.Split(good, ".")
	none := "eyJhbGciOiJub25lIn0." + parts[1] + "."
	other, err := wire.SignWorkerToken([]byte("another secret of workers"), lanes.NewID(), time.Now())
	noError(t, err)
	expired, err := wire.SignWorkerToken(workerSecret, lanes.NewID(), time.Now().Add(-time.Hour))
	noError(t, err)
	for name, token := range map[string]string{
		"no algorithm": none, "another algorithm": "eyJhbGciOiJSUzI1NiJ9." + parts[1] + "." + parts[2], "another secret": other, "expired": expired,
		"in the future": compatToken(t, "w", time.Now().Add(time.Hour).Unix()), "of 1970": compatToken(t, "w", 1), "an hour old": compatToken(t, "w", time.Now().Add(-time.Hour).Unix()),
		"a critical header": withHeader(t, "w", map[string]any{"crit": []string{"aud"}, "aud": "others"}), "no name": freshToken(t, ""), "a long name": freshToken(t, strings.Repeat("n", 129)),
	} {
		for _, target := range []string{"?vsn=2.0.0&token=" + token, "?vsn=2.0.0"} {
			req, err := nethttp.NewRequestWithContext(t.Context(), "GET", "http"+strings.TrimPrefix(s.url, "ws")+"/worker/websocket"+target, nil)
			noError(t, err)
			if !strings.Contains(target, "token") {
				req.Header.Set("Authorization", "Bearer "+token)
			}
			resp, err := nethttp.DefaultClient.Do(req)
			noError(t, err)
			body, _ := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if resp.StatusCode != nethttp.StatusUnauthorized || strings.Contains(string(body), parts[1]) {
				t.Errorf("%s: %d %s", name, resp.StatusCode, body)
			}
		}
	}
	for origin, want := range map[string]int{"https://page.example": nethttp.StatusForbidden, "null": nethttp.StatusForbidden, "http" + strings.TrimPrefix(s.url, "ws"): nethttp.StatusUpgradeRequired} {
		req, err := nethttp.NewRequestWithContext(t.Context(), "GET", "http"+strings.TrimPrefix(s.url, "ws")+"/worker/websocket?vsn=2.0.0", nil)
		noError(t, err)
		req.Header.Set("Authorization", "Bearer "+good)
		req.Header.Set("Origin", origin)
		resp, err := nethttp.DefaultClient.Do(req)
		noError(t, err)
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("from a page of %s: %d, want %d", origin, resp.StatusCode, want)
		}
	}
	s.stop()
	if log := s.log.String(); strings.Contains(log, parts[1]) || strings.Contains(log, expired) || strings.Count(log, "remote worker refused") != 1 {
		t.Errorf("the log has a token, or more than one line a minute for an address:\n%s", log)
	}
}

// TestRW25_RunTokens has run tokens refused that are not of this run and identity.
func TestRW25_RunTokens(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	p, other := s.dial(t, freshToken(t, "one")), s.dial(t, freshToken(t, "two"))
	ref := p.joinCompat()
	other.joinCompat()
	job, token, topic, _ := s.startRun(p, ref)
	second, secondToken, _, _ := s.startRun(p, ref)
	parts := strings.Split(token, ".")
	for name, c := range map[string]struct {
		p     *peer
		token string
	}{
		"of another worker": {other, token}, "of another run": {p, secondToken}, "no algorithm": {p, "eyJhbGciOiJub25lIn0." + parts[1] + "."},
		"changed": {p, parts[0] + "." + parts[1] + "x." + parts[2]}, "a worker token": {p, freshToken(t, "one")}, "none": {p, ""},
	} {
		_, r := c.p.send("", topic, wire.EventJoin, wire.RunJoin{Token: c.token})
		if r.Status != wire.StatusError || string(r.Response) != `{"reason":"unauthorized"}` {
			t.Errorf("a run token that is %s: %s %s", name, r.Status, r.Response)
		}
	}
	for _, id := range []string{job.ID, second.ID} {
		if got := s.job(t, id); got.Status != work.StatusProcessing {
			t.Errorf("job %s is %s", id, got.Status)
		}
	}
}

// TestWorkerTokensGetOld: a worker that cannot sign its token anew comes back with it for as
// long as the server knows that worker, and nobody else comes with a token of yesterday.
func TestWorkerTokensGetOld(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64 // of the server's clock
	s := newRemoteServerAt(t, "", func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) })
	known, unknown := freshToken(t, "pod"), freshToken(t, "other")
	p := s.dial(t, known)
	p.joinCompat()
	ahead.Store(int64(2 * time.Hour))
	_ = p.conn.CloseNow()
	s.dial(t, known).joinCompat()
	_, resp, err := websocket.Dial(t.Context(), s.url+"/worker/websocket?vsn=2.0.0&token="+unknown, nil)
	if err == nil || resp == nil || resp.StatusCode != nethttp.StatusUnauthorized {
		t.Fatalf("a token of two hours ago opens a socket: %v", err)
	}
	body, _ := io.ReadAll(resp.Body)
	if want := "too old"; !strings.Contains(string(body), want) {
		t.Errorf("the refusal is %s, want %s", body, want)
	}
}
