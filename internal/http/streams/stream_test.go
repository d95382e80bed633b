package streams

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	nethttp "net/http"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

// listen serves the API on a port of its own until the test ends, as Run does:
// streams over HTTP/1.1 leave their requests.
func listen(t testing.TB, cfg Config) string {
	t.Helper()
	addr, stop := run(t, cfg)
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return "http://" + addr
}

// listenWithin is listen without Run: streams stay within their requests.
func listenWithin(t testing.TB, cfg Config) string {
	t.Helper()
	srv := httptest.NewServer(newTestServer(t, cfg).web.Handler())
	t.Cleanup(srv.Close)
	return srv.URL
}

// watch is a client that follows the job.
type watch struct {
	t      testing.TB
	resp   *nethttp.Response
	r      *bufio.Reader
	cancel context.CancelFunc
}

// openWatch follows the known job.
func openWatch(t testing.TB, url, lastEventID string) *watch {
	t.Helper()
	header := map[string]string{"Authorization": "Bearer " + goodToken}
	if lastEventID != "" {
		header["Last-Event-ID"] = lastEventID
	}
	return openStreamOf(t, &nethttp.Transport{}, url+"/jobs/"+knownJob+"/stream", header)
}

// openStreamOf follows the stream at url.
func openStreamOf(t testing.TB, transport *nethttp.Transport, url string, header map[string]string) *watch {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := nethttp.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", "gzip")
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	w := &watch{t: t, resp: resp, r: bufio.NewReader(resp.Body), cancel: func() {
		cancel()
		_ = resp.Body.Close()
		transport.CloseIdleConnections()
	}}
	t.Cleanup(w.cancel)
	return w
}

// want checks the next events: "id event" each, or "event" for one without id.
func (w *watch) want(events ...string) []frame {
	w.t.Helper()
	frames := make([]frame, len(events))
	for i, want := range events {
		f, err := readFrame(w.r)
		if err != nil {
			w.t.Fatalf("event %d of %v: %v", i, events, err)
		}
		got := f.event
		if f.id > 0 {
			got = fmt.Sprintf("%d %s", f.id, f.event)
		}
		if got != want {
			w.t.Fatalf("event %q with %s, want %q", got, f.data, want)
		}
		if !json.Valid(f.data) {
			w.t.Fatalf("data %q of %q is not JSON", f.data, got)
		}
		frames[i] = f
	}
	return frames
}

// wantPastKeepalives is want for one event, and any number of keepalives before it.
func (w *watch) wantPastKeepalives(event string) {
	w.t.Helper()
	for {
		if b, err := w.r.Peek(len("event: keepalive")); err != nil || string(b) != "event: keepalive" {
			w.want(event)
			return
		}
		w.want("keepalive")
	}
}

// wantEnd checks that the server ends the stream.
func (w *watch) wantEnd() {
	w.t.Helper()
	if f, err := readFrame(w.r); !errors.Is(err, io.EOF) {
		w.t.Fatalf("event %+v and %v, want the end", f, err)
	}
}

// withHistory returns a backend whose job has so many stored events.
func withHistory(events int, status work.Status) *backend {
	b := newBackend()
	j := job(status)
	j.EventSeq = 0
	b.jobs[knownJob] = j
	for range events {
		b.commit(knownJob, work.EventProgress, `{"stage":"x"}`)
	}
	return b
}

func TestStream(t *testing.T) {
	t.Run("snapshot, then live events, then the end of the job", func(t *testing.T) {
		b := withHistory(2, work.StatusProcessing)
		w := openWatch(t, listen(t, testConfig(b)), "")
		var j work.Job
		if err := json.Unmarshal(w.want("2 snapshot")[0].data, &j); err != nil || j.ID != knownJob || j.EventSeq != 2 {
			t.Errorf("snapshot %+v, %v", j, err)
		}
		b.deliver(b.commit(knownJob, work.EventStatus, `{"status":"processing"}`))
		w.want("3 status")
		b.deliver(b.commit(knownJob, work.EventStatus, `{"status":"completed"}`))
		b.deliver(b.commit(knownJob, work.EventCompleted, `{"stats": 1}`))
		w.want("4 status", "5 completed")
		w.wantEnd()
		apitest.Eventually(t, "the subscription is closed", func() bool { return b.openStreams() == 0 })
	})
	t.Run("headers keep others from buffering", func(t *testing.T) {
		w := openWatch(t, listen(t, testConfig(withHistory(1, work.StatusProcessing))), "")
		for name, want := range map[string]string{
			"Content-Type": "text/event-stream", "X-Accel-Buffering": "no", "Cache-Control": "no-cache, no-store, no-transform", "Content-Encoding": "",
		} {
			if got := w.resp.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if line, err := w.r.ReadString('\n'); line != "retry: 2000\n" || err != nil {
			t.Errorf("first line %q, %v", line, err)
		}
	})
	t.Run("progress follows the snapshot when there is some", func(t *testing.T) {
		b := withHistory(2, work.StatusProcessing)
		j := b.jobs[knownJob]
		j.Progress = &work.Progress{Stage: "extracting", Percent: 50}
		b.jobs[knownJob] = j
		f := openWatch(t, listen(t, testConfig(b)), "").want("2 snapshot", "2 progress")
		if !strings.Contains(string(f[1].data), `"percent":50`) {
			t.Errorf("progress %s", f[1].data)
		}
	})
	t.Run("a client that comes back gets what it missed", func(t *testing.T) {
		b := withHistory(5, work.StatusProcessing)
		w := openWatch(t, listen(t, testConfig(b)), "2")
		w.want("3 progress", "4 progress", "5 progress")
		b.deliver(b.commit(knownJob, work.EventProgress, `{}`))
		w.want("6 progress")
	})
	t.Run("more than one page is replayed", func(t *testing.T) {
		b := withHistory(2*replayBatch+7, work.StatusProcessing)
		w := openWatch(t, listen(t, testConfig(b)), "0")
		for seq := 1; seq <= 2*replayBatch+7; seq++ {
			w.want(strconv.Itoa(seq) + " progress")
		}
	})
	t.Run("a client ahead of the job is reset, one with garbage starts anew", func(t *testing.T) {
		b := withHistory(3, work.StatusProcessing)
		url := listen(t, testConfig(b))
		for _, id := range []string{"4", "9223372036854775807"} {
			if f := openWatch(t, url, id).want("reset", "3 snapshot"); string(f[0].data) != `{"reason":"ahead"}` {
				t.Errorf("data %s", f[0].data)
			}
		}
		for _, id := range []string{"x", "-1", "99999999999999999999999", "1 2", strings.Repeat("9", 20_000)} {
			openWatch(t, url, id).want("3 snapshot")
		}
	})
	t.Run("events that are no longer kept are replaced by a snapshot", func(t *testing.T) {
		b := withHistory(5, work.StatusProcessing)
		url := listen(t, testConfig(b))
		for _, pruned := range []int64{3, 5} {
			b.set(func() { b.pruned = pruned })
			if f := openWatch(t, url, "1").want("reset", "5 snapshot"); string(f[0].data) != `{"reason":"pruned"}` {
				t.Errorf("data %s", f[0].data)
			}
		}
		b.set(func() { b.events[knownJob] = slices.Delete(b.events[knownJob], 3, 4); b.pruned = 0 })
		w := openWatch(t, url, "1")
		w.want("2 progress", "3 progress", "reset", "5 snapshot")
		b.deliver(b.commit(knownJob, work.EventProgress, `{}`))
		w.want("6 progress")
	})
	t.Run("a job that nobody knows, or that is somebody else's, is an ordinary answer", func(t *testing.T) {
		b := withHistory(1, work.StatusProcessing)
		s := newTestServer(t, testConfig(b))
		for _, id := range []string{"job_ffffffffffff", "x"} {
			resp, body := call(t, s, apitest.Request{Method: "GET", Path: "/jobs/" + id + "/stream"})
			if p := apitest.WantProblem(t, resp, body, 404); p.Detail != "Job not found: "+id {
				t.Errorf("detail %q", p.Detail)
			}
		}
		b.user = access.User{ID: 1001, Username: "eve", Role: "read_only"}
		resp, body := call(t, s, apitest.Request{Method: "GET", Path: "/jobs/" + knownJob + "/stream"})
		if p := apitest.WantProblem(t, resp, body, 404); p.Detail != "Job not found: "+knownJob || b.openStreams() != 0 {
			t.Errorf("detail %q, %d subscriptions", p.Detail, b.openStreams())
		}
	})
}

func TestStreamOfAFinishedJob(t *testing.T) {
	for status, want := range map[work.Status]string{
		work.StatusCompleted: `{"concepts": 3}`, work.StatusFailed: `{"error":"no \n luck"}`, work.StatusCancelled: `{"message":"Job was cancelled"}`,
	} {
		t.Run(string(status), func(t *testing.T) {
			b := withHistory(3, status)
			j, text := b.jobs[knownJob], "no \n luck"
			j.Error, j.Result, j.Progress = &text, json.RawMessage(`{"concepts": 3}`), &work.Progress{}
			b.jobs[knownJob] = j
			url := listen(t, testConfig(b))
			w := openWatch(t, url, "")
			if f := w.want("2 snapshot", "3 "+string(status)); string(f[1].data) != want && !jsonEqual(f[1].data, want) {
				t.Errorf("data %s, want %s", f[1].data, want)
			}
			w.wantEnd()
			for _, id := range []string{"3", "4", "9223372036854775807"} {
				if resp := openWatch(t, url, id).resp; resp.StatusCode != nethttp.StatusNoContent {
					t.Errorf("after %s: status %d, want 204", id, resp.StatusCode)
				}
			}
		})
	}
	t.Run("without a result", func(t *testing.T) {
		w := openWatch(t, listen(t, testConfig(withHistory(3, work.StatusCompleted))), "")
		if f := w.want("2 snapshot", "3 completed"); string(f[1].data) != "{}" {
			t.Errorf("data %s, want {}", f[1].data)
		}
	})
	t.Run("whose last event is not kept", func(t *testing.T) {
		w := openWatch(t, listen(t, testConfig(withHistory(3, work.StatusCompleted))), "2")
		w.want("3 progress", "reset", "2 snapshot", "3 completed")
		w.wantEnd()
	})
	t.Run("that a client saw in part", func(t *testing.T) {
		b := withHistory(3, work.StatusProcessing)
		b.commit(knownJob, work.EventStatus, `{}`)
		b.commit(knownJob, work.EventFailed, `{"error":"x"}`)
		w := openWatch(t, listen(t, testConfig(b)), "2")
		w.want("3 progress", "4 status", "5 failed")
		w.wantEnd()
	})
}

func jsonEqual(a []byte, b string) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal([]byte(b), &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}

func TestStreamLive(t *testing.T) {
	t.Run("what the client has is dropped, and progress may be left out", func(t *testing.T) {
		b := withHistory(2, work.StatusProcessing)
		w := openWatch(t, listen(t, testConfig(b)), "")
		w.want("2 snapshot")
		third := b.commit(knownJob, work.EventProgress, `{}`)
		b.deliver(third, third)
		w.want("3 progress")
		b.commit(knownJob, work.EventProgress, `{}`)
		fifth, sixth := b.commit(knownJob, work.EventProgress, `{}`), b.commit(knownJob, work.EventStatus, `{}`)
		b.notify(func(d *work.Delivery) { d.Events = []*work.Event{&third, &fifth, &sixth, &fifth} })
		w.want("5 progress", "6 status")
	})
	t.Run("silence is broken by keepalives, each with a comment", func(t *testing.T) {
		b := withHistory(2, work.StatusProcessing)
		cfg := testConfig(b)
		cfg.Limits.keepalive = 20 * time.Millisecond
		w := openWatch(t, listen(t, cfg), "")
		w.want("2 snapshot")
		if line, err := w.r.ReadString('\n'); line != ": heartbeat\n" {
			t.Errorf("line %q, %v", line, err)
		}
		f := w.want("keepalive", "keepalive")
		var data struct{ Timestamp kappa.Time }
		if err := json.Unmarshal(f[1].data, &data); err != nil || time.Since(data.Timestamp.Time) > time.Minute {
			t.Errorf("keepalive %s, %v", f[1].data, err)
		}
	})
	t.Run("a job that disappears ends it", func(t *testing.T) {
		b := withHistory(2, work.StatusProcessing)
		w := openWatch(t, listen(t, testConfig(b)), "")
		w.want("2 snapshot")
		last := b.commit(knownJob, work.EventProgress, `{}`)
		b.notify(func(d *work.Delivery) { d.Events, d.Gone = []*work.Event{&last}, []string{knownJob} })
		if f := w.want("3 progress", "error"); string(f[1].data) != `{"error":"Job disappeared"}` {
			t.Errorf("data %s", f[1].data)
		}
		w.wantEnd()
	})
	t.Run("a subscription that ends ends it without a terminal event", func(t *testing.T) {
		b := withHistory(2, work.StatusProcessing)
		w := openWatch(t, listen(t, testConfig(b)), "")
		w.want("2 snapshot")
		last := b.commit(knownJob, work.EventProgress, `{}`)
		b.notify(func(d *work.Delivery) { d.Events, d.Ended = []*work.Event{&last}, true })
		w.want("3 progress")
		w.wantEnd()
	})
	t.Run("a terminal event is the last, whatever follows it", func(t *testing.T) {
		b := withHistory(2, work.StatusProcessing)
		w := openWatch(t, listen(t, testConfig(b)), "")
		w.want("2 snapshot")
		last := b.commit(knownJob, work.EventFailed, `{"error":"x"}`)
		b.notify(func(d *work.Delivery) {
			d.Events, d.Gone, d.Ended = []*work.Event{&last, &last}, []string{knownJob}, true
		})
		w.want("3 failed")
		w.wantEnd()
	})
	t.Run("nothing is asked of the database while nothing happens", func(t *testing.T) {
		b := withHistory(2, work.StatusProcessing)
		cfg := testConfig(b)
		cfg.Limits.keepalive = 10 * time.Millisecond
		w := openWatch(t, listen(t, cfg), "")
		w.want("2 snapshot")
		b.set(func() { clear(b.queries) })
		w.want("keepalive", "keepalive", "keepalive")
		if len(b.queries) != 0 {
			t.Errorf("queries %v", b.queries)
		}
	})
}

// TestStreamClients has clients go, stop to read, and come while the database is away (S17).
func TestStreamClients(t *testing.T) {
	t.Run("a client that goes frees its stream", func(t *testing.T) {
		b := withHistory(2, work.StatusProcessing)
		w := openWatch(t, listen(t, testConfig(b)), "")
		w.want("2 snapshot")
		w.cancel()
		apitest.Eventually(t, "the stream is freed", func() bool { return b.openStreams() == 0 })
	})
	t.Run("a client that does not read is cut", func(t *testing.T) {
		b := withHistory(2, work.StatusProcessing)
		cfg := testConfig(b)
		cfg.Limits.write = 100 * time.Millisecond
		w := openWatch(t, listen(t, cfg), "")
		w.want("2 snapshot")
		payload := `"` + strings.Repeat("x", 1<<20) + `"`
		for range 20 { // more than the connection's buffers hold
			b.deliver(b.commit(knownJob, work.EventStatus, payload))
		}
		apitest.Eventually(t, "the stream is cut", func() bool { return b.openStreams() == 0 })
	})
	t.Run("an error before the stream is an ordinary answer", func(t *testing.T) {
		b := withHistory(2, work.StatusProcessing)
		b.err = kappa.NewError(kappa.CodeUnavailable, "down")
		resp, body := call(t, newTestServer(t, testConfig(b)), apitest.Request{Method: "GET", Path: "/jobs/" + knownJob + "/stream"})
		apitest.WantProblem(t, resp, body, 503)
	})
}
