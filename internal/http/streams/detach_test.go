package streams

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

// openRaw asks for the stream of the job over a bare connection.
func openRaw(t *testing.T, url, more string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "GET /jobs/%s/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n%s", knownJob, goodToken, more)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// readSnapshot reads the beginning of a stream, which is sent as it leaves its
// request: what happens from here on, it sends by itself.
func readSnapshot(t *testing.T, conn net.Conn) []byte {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	var all []byte
	part := make([]byte, 4096)
	for !bytes.Contains(all, []byte("event: snapshot")) || !bytes.HasSuffix(all, []byte("\n\n\r\n")) {
		n, err := conn.Read(part)
		if all = append(all, part[:n]...); err != nil {
			t.Fatalf("%v after %q", err, all)
		}
	}
	return all
}

func TestDetachedStream(t *testing.T) {
	t.Run("ends its answer in good order and closes the connection", func(t *testing.T) {
		b := withHistory(1, work.StatusProcessing)
		conn := openRaw(t, listen(t, testConfig(b)), "")
		readSnapshot(t, conn)
		b.deliver(b.commit(knownJob, work.EventCompleted, `{}`))
		_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
		all, err := io.ReadAll(conn)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasSuffix(all, []byte("event: completed\ndata: {}\n\n\r\n0\r\n\r\n")) {
			t.Errorf("the answer ends with %q", all[max(0, len(all)-80):])
		}
	})
	t.Run("is not disturbed by a client that goes on talking", func(t *testing.T) {
		b := withHistory(1, work.StatusProcessing)
		conn := openRaw(t, listen(t, testConfig(b)), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		all := bytes.NewBuffer(readSnapshot(t, conn))
		_, _ = conn.Write(bytes.Repeat([]byte("x"), 1000))
		b.deliver(b.commit(knownJob, work.EventCompleted, `{}`))
		_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
		_, _ = all.ReadFrom(conn) // what it sent was not read, so the end may be a reset
		if strings.Count(all.String(), "HTTP/1.1 200") != 1 || !strings.Contains(all.String(), "event: completed") {
			t.Errorf("the answer is %q", all.String())
		}
	})
	t.Run("ends when its client goes", func(t *testing.T) {
		b := withHistory(1, work.StatusProcessing)
		conn := openRaw(t, listen(t, testConfig(b)), "")
		apitest.Eventually(t, "the stream is subscribed", func() bool { return b.openStreams() == 1 })
		_ = conn.Close()
		apitest.Eventually(t, "nothing is left of the stream", func() bool { return b.openStreams() == 0 })
	})
	t.Run("that panics ends alone and is logged", func(t *testing.T) {
		b := withHistory(1, work.StatusProcessing)
		var logs apitest.Log
		cfg := testConfig(b)
		cfg.Log = slog.New(slog.NewTextHandler(&logs, nil))
		url := listen(t, cfg)
		conn := openRaw(t, url, "")
		readSnapshot(t, conn)
		b.panics.Store(true)
		b.deliver(b.commit(knownJob, work.EventStatus, `{}`))
		_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
		if _, err := io.ReadAll(conn); err != nil {
			t.Errorf("the connection ends with %v", err)
		}
		apitest.Eventually(t, "the stream is gone and its panic logged", func() bool {
			return b.openStreams() == 0 && strings.Contains(logs.String(), "stream panicked")
		})
		b.panics.Store(false)
		openWatch(t, url, "").want("2 snapshot") // the server goes on
	})
}

// TestDetachedStreamIsSmall opens many streams and measures the stacks: a stream
// within its request keeps the deep one of net/http and gin, 16 kB.
func TestDetachedStreamIsSmall(t *testing.T) {
	const streams, most = 300, 12 << 10 // bytes of stacks for each, with the client's share
	b := withHistory(1, work.StatusProcessing)
	url := listen(t, testConfig(b))
	before := stackBytes()
	for range streams {
		openRaw(t, url, "")
	}
	apitest.Eventually(t, "all are subscribed", func() bool { return b.openStreams() == streams })
	apitest.Eventually(t, "the stacks are small", func() bool { return (stackBytes()-before)/streams < most })
}

// stackBytes returns how much memory the stacks take, as small as they can be.
func stackBytes() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.StackInuse)
}
