package streams

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	nethttp "net/http"

	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

// http2Transport speaks HTTP/2 without encryption.
func http2Transport() *nethttp.Transport {
	protocols := &nethttp.Protocols{}
	protocols.SetUnencryptedHTTP2(true)
	return &nethttp.Transport{Protocols: protocols}
}

// TestStreamOverEveryProtocol has streams live longer than a write may take, uncompressed, over
// HTTP/1.1 and HTTP/2 (S02, S03, S10).
func TestStreamOverEveryProtocol(t *testing.T) {
	for name, transport := range map[string]func() *nethttp.Transport{
		"HTTP/1.1": func() *nethttp.Transport { return &nethttp.Transport{} }, "HTTP/2.0": http2Transport,
	} {
		t.Run(name, func(t *testing.T) {
			b := withHistory(2, work.StatusProcessing)
			cfg := testConfig(b)
			cfg.Limits.write = 200 * time.Millisecond // must not end a silent stream
			if err := http.CheckHTTP2(runtime.Version()); err != nil {
				t.Skip(err)
			}
			addr, stop := apitest.Run(t, newServerWith(t, http.Config{HTTP2: true}, cfg).web)
			tr := transport()
			header := map[string]string{"Authorization": "Bearer good"}
			w := openStreamOf(t, tr, "http://"+addr+"/jobs/"+knownJob+"/stream", header)
			second := openStreamOf(t, tr, "http://"+addr+"/events?jobs=*", header)
			w.want("2 snapshot")
			second.want("ready", "snapshot")
			if w.resp.Proto != name || w.resp.Header.Get("Content-Encoding") != "" {
				t.Errorf("protocol %s, encoding %q", w.resp.Proto, w.resp.Header.Get("Content-Encoding"))
			}
			await.Never(t, 2*cfg.Limits.write, "a silent stream ends", func() bool { return b.openStreams() < 2 })
			b.deliver(b.commit(knownJob, work.EventProgress, `{}`))
			w.want("3 progress")
			b.deliver(b.commit(knownJob, work.EventCompleted, `{}`))
			w.want("4 completed")
			second.want("progress", "completed")
			w.wantEnd()
			if err := stop(); err != nil {
				t.Error(err)
			}
			second.wantEnd()
			if n := b.openStreams(); n != 0 {
				t.Errorf("%d streams are left", n)
			}
		})
	}
}

// bufferingProxy holds an answer back until it ends, unless the answer says not
// to, as nginx does.
func bufferingProxy(t *testing.T, target string) string {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) },
		ModifyResponse: func(resp *nethttp.Response) error {
			if resp.Header.Get("X-Accel-Buffering") == "no" {
				return nil
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body = io.NopCloser(strings.NewReader(string(body)))
			return err
		},
		FlushInterval: -1,
	}
	srv := httptest.NewServer(proxy)
	t.Cleanup(srv.Close)
	return srv.URL
}

// TestStreamBehindABufferingProxy follows a job through a proxy that buffers unless it is asked
// not to (S01).
func TestStreamBehindABufferingProxy(t *testing.T) {
	b := withHistory(2, work.StatusProcessing)
	started := time.Now()
	w := openWatch(t, bufferingProxy(t, listen(t, testConfig(b))), "")
	w.want("2 snapshot")
	if took := time.Since(started); took > 20*time.Second {
		t.Errorf("the first event took %s", took)
	}
	b.deliver(b.commit(knownJob, work.EventProgress, `{}`))
	w.want("3 progress")
}

// smallBuffer serves the API. The kernel buffers little of the first connection.
func smallBuffer(t *testing.T, cfg Config) string {
	t.Helper()
	srv := httptest.NewUnstartedServer(newTestServer(t, cfg).web.Handler())
	var first sync.Once
	srv.Config.ConnState = func(c net.Conn, _ nethttp.ConnState) {
		first.Do(func() { _ = c.(*net.TCPConn).SetWriteBuffer(4 << 10) })
	}
	srv.Start()
	t.Cleanup(srv.Close)
	return srv.Listener.Addr().String()
}

// TestAReaderThatStopsHarmsNobody has one of 200 readers stop: it is cut, the others get
// everything, and so does it when it comes back (S04).
func TestAReaderThatStopsHarmsNobody(t *testing.T) {
	const readers, events = 200, 40
	b := withHistory(0, work.StatusProcessing)
	cfg := testConfig(b)
	cfg.Limits.write = 2 * time.Second
	addr := smallBuffer(t, cfg)
	stopped := rawStream(t, addr)
	defer stopped.Close()
	apitest.Eventually(t, "the stopped reader's stream is open", func() bool { return b.openStreams() == 1 })

	var others sync.WaitGroup
	watches := make([]*watch, readers-1)
	for i := range watches {
		watches[i] = openWatch(t, "http://"+addr, "")
		watches[i].want("snapshot")
	}
	finished := make([]time.Time, len(watches))
	for i, w := range watches {
		others.Go(func() { finished[i] = readToTheEnd(t, w) })
	}
	payload := `"` + strings.Repeat("x", 3<<10) + `"`
	pace := time.NewTicker(time.Millisecond)
	defer pace.Stop()
	for range events {
		b.deliver(b.commit(knownJob, work.EventStatus, payload))
		<-pace.C
	}
	sent := time.Now()
	b.deliver(b.commit(knownJob, work.EventCompleted, `{}`))
	others.Wait()
	for i, at := range finished {
		if late := at.Sub(sent); late > 20*time.Second {
			t.Errorf("reader %d had the last event %s late", i, late)
		}
	}
	apitest.Eventually(t, "the stopped reader is cut", func() bool { return b.openStreams() == 0 })
	if took := time.Since(sent); took > 20*time.Second {
		t.Errorf("it was cut after %s", took)
	}

	_ = stopped.SetReadDeadline(time.Now().Add(5 * time.Second))
	last := lastWholeEvent(stopped)
	if last <= 0 || last > events {
		t.Fatalf("the stopped reader has %d events of %d", last, events)
	}
	w := openWatch(t, "http://"+addr, strconv.FormatInt(last, 10))
	for seq := last + 1; seq <= events; seq++ {
		w.want(fmt.Sprint(seq, " status"))
	}
	w.want(fmt.Sprint(events+1, " completed"))
	w.wantEnd()
}

// rawStream asks for the known job's stream on a connection of its own and reads
// nothing.
func rawStream(t testing.TB, addr string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	tcp := conn.(*net.TCPConn)
	_ = tcp.SetReadBuffer(4 << 10)
	if _, err := fmt.Fprintf(tcp, "GET /jobs/%s/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer good\r\n\r\n", knownJob); err != nil {
		t.Fatal(err)
	}
	return tcp
}

// readToTheEnd reads all events and returns when the terminal one came.
func readToTheEnd(t *testing.T, w *watch) time.Time {
	for {
		f, err := readFrame(w.r)
		if err != nil {
			t.Errorf("a reader was cut: %v", err)
			return time.Time{}
		}
		if f.event == "completed" {
			return time.Now()
		}
	}
}

// lastWholeEvent reads what arrived on a connection and returns the number of
// the last event that is whole.
func lastWholeEvent(conn net.Conn) int64 {
	var last int64
	resp, err := nethttp.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return -1
	}
	defer resp.Body.Close()
	r := bufio.NewReader(resp.Body)
	for {
		f, err := readFrame(r)
		if err != nil {
			return last
		}
		last = max(last, f.id)
	}
}
