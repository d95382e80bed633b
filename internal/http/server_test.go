package http

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	nethttp "net/http"

	"github.com/kappagraph/kappa"
)

// run starts a Server with Run and returns its address and what stops it, which
// returns what Run did.
func run(t testing.TB, cfg Config) (addr string, stop func() error) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	s := newTestServer(t, cfg)
	go func() { ended <- s.Run(ctx, ln) }()
	t.Cleanup(cancel)
	return ln.Addr().String(), func() error {
		cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(20 * time.Second):
			return fmt.Errorf("Run did not return")
		}
	}
}

// upload sends a document of one field on a connection of its own, and returns
// the answer's status and body.
func uploadDocument(t testing.TB, addr string) (int, string) {
	t.Helper()
	body, contentType := multipartForm(t, map[string]string{"ontology": "o"}, &testFile{"file", "a.txt", "text"})
	req, err := nethttp.NewRequestWithContext(t.Context(), "POST", "http://"+addr+"/ingest", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+goodToken)
	req.Header.Set("Content-Type", contentType)
	transport := &nethttp.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(answer)
}

func TestRun(t *testing.T) {
	t.Run("a stop lets requests finish", func(t *testing.T) {
		b := newBackend()
		b.wait = make(chan struct{})
		addr, stop := run(t, testConfig(b))
		status := make(chan int, 1)
		go func() {
			code, _ := uploadDocument(t, addr)
			status <- code
		}()
		eventually(t, "the request is being worked on", func() bool { b.mu.Lock(); defer b.mu.Unlock(); return len(b.submitted) == 1 })
		ended := make(chan error, 1)
		go func() { ended <- stop() }()
		select {
		case err := <-ended:
			t.Fatalf("Run returned before its request: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
		close(b.wait)
		if got := <-status; got != 200 {
			t.Errorf("status %d, want 200", got)
		}
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Run("a stop ends streams without a terminal event", func(t *testing.T) {
		b := withHistory(2, kappa.StatusProcessing)
		cfg := testConfig(b)
		cfg.Limits.StreamSpread = 50 * time.Millisecond
		addr, stop := run(t, cfg)
		w := openWatch(t, "http://"+addr, "")
		w.want("2 snapshot")
		started := time.Now()
		if err := stop(); err != nil {
			t.Errorf("Run: %v", err)
		}
		if took := time.Since(started); took > 2*time.Second {
			t.Errorf("the stop took %s", took)
		}
		w.wantEnd()
		if n := b.openStreams(); n != 0 {
			t.Errorf("%d streams are left", n)
		}
	})
	t.Run("a request that does not end is cancelled", func(t *testing.T) {
		b := newBackend()
		b.wait = make(chan struct{})
		b.err = context.Canceled
		cfg := testConfig(b)
		cfg.Limits.Drain = 50 * time.Millisecond
		addr, stop := run(t, cfg)
		conn := dial(t, addr)
		body, contentType := multipartForm(t, map[string]string{"ontology": "o"}, &testFile{"file", "a.txt", "text"})
		send(t, conn, "POST /ingest HTTP/1.1", contentType, fmt.Sprintf("Content-Length: %d", len(body)), body)
		eventually(t, "the request is being worked on", func() bool { b.mu.Lock(); defer b.mu.Unlock(); return len(b.submitted) == 1 })
		_, _ = io.WriteString(conn, "GET") // a next request begins: the end of the connection will go unnoticed
		<-time.After(20 * time.Millisecond)
		started := time.Now()
		if err := stop(); err != nil {
			t.Errorf("Run: %v", err)
		}
		if took := time.Since(started); took > 3*time.Second {
			t.Errorf("the stop took %s", took)
		}
	})
	t.Run("a request that does not heed that is waited for", func(t *testing.T) {
		b := newBackend()
		var begun, ended atomic.Bool
		b.onSearch = func(context.Context) error {
			begun.Store(true)
			<-time.After(300 * time.Millisecond)
			ended.Store(true)
			return nil
		}
		cfg := testConfig(b)
		cfg.Limits.Drain = 20 * time.Millisecond
		addr, stop := run(t, cfg)
		send(t, dial(t, addr), "POST /query/search HTTP/1.1", "application/json", "Content-Length: 13", `{"query":"a"}`)
		eventually(t, "the request is being worked on", begun.Load)
		if err := stop(); err != nil || !ended.Load() {
			t.Errorf("Run returned %v while a request was worked on", err)
		}
	})
	t.Run("a client that goes cancels its upload", func(t *testing.T) {
		b := newBackend()
		b.wait = make(chan struct{})
		addr, stop := run(t, testConfig(b))
		conn := dial(t, addr)
		body, contentType := multipartForm(t, map[string]string{"ontology": "o"}, &testFile{"file", "a.txt", strings.Repeat("text ", 10_000)})
		send(t, conn, "POST /ingest HTTP/1.1", contentType, fmt.Sprintf("Content-Length: %d", len(body)), body)
		eventually(t, "the request is being worked on", func() bool { b.mu.Lock(); defer b.mu.Unlock(); return len(b.submitted) == 1 })
		_ = conn.Close()
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	t.Run("a listener that breaks is an error", func(t *testing.T) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_ = ln.Close()
		if err := newTestServer(t, testConfig(newBackend())).Run(t.Context(), ln); err == nil || !strings.Contains(err.Error(), "serve on 127.0.0.1:") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("headers have a limit", func(t *testing.T) {
		addr, stop := run(t, testConfig(newBackend()))
		conn := dial(t, addr)
		_, _ = fmt.Fprintf(conn, "GET /health HTTP/1.1\r\nHost: x\r\nX-Long: %s\r\n\r\n", strings.Repeat("a", 40<<10))
		if line, _ := bufio.NewReader(conn).ReadString('\n'); !strings.Contains(line, "431") {
			t.Errorf("answer %q", line)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

func dial(t testing.TB, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	return conn
}

// send writes the head of an authorised request, and a body.
func send(t testing.TB, conn net.Conn, line, contentType, header, body string) {
	t.Helper()
	if _, err := fmt.Fprintf(conn, "%s\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\n%s\r\n\r\n%s", line, goodToken, contentType, header, body); err != nil {
		t.Fatal(err)
	}
}

// answerOn reads the answer on a connection.
func answerOn(t testing.TB, conn net.Conn) (*nethttp.Response, string) {
	t.Helper()
	resp, err := nethttp.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

const twoHundredMB = 200 << 20

func TestTooLargeBodies(t *testing.T) {
	const form = multipartType + "; boundary=b"
	length := fmt.Sprintf("Content-Length: %d", twoHundredMB)
	t.Run("a body that says to be too large is refused before it is sent", func(t *testing.T) {
		addr, stop := run(t, testConfig(newBackend()))
		for _, path := range []string{"/ingest", "/ingest/text", "/jobs", "/query/search"} {
			conn := dial(t, addr)
			send(t, conn, "POST "+path+" HTTP/1.1", form, length, "")
			resp, body := answerOn(t, conn)
			wantProblem(t, resp, body, 413)
			if !resp.Close {
				t.Errorf("%s: the connection is to be used again", path)
			}
			_ = conn.Close()
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	t.Run("a client that sends 200 MB before it reads still gets the answer", func(t *testing.T) {
		for path, status := range map[string]int{"/ingest": 413, "/nope": 404} {
			addr, stop := run(t, testConfig(newBackend()))
			conn := dial(t, addr)
			send(t, conn, "POST "+path+" HTTP/1.1", form, length, "")
			block := make([]byte, 1<<20)
			for sent := 0; sent < twoHundredMB; sent += len(block) {
				if _, err := conn.Write(block); err != nil {
					t.Fatalf("%s: after %d bytes: %v", path, sent, err)
				}
			}
			resp, body := answerOn(t, conn)
			wantProblem(t, resp, body, status)
			if err := stop(); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("a body without end is cut at the limit, in bounded memory", func(t *testing.T) {
		addr, stop := run(t, testConfig(newBackend()))
		conn := dial(t, addr)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		send(t, conn, "POST /ingest HTTP/1.1", form, "Transfer-Encoding: chunked", "")
		head := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n"
		_, _ = fmt.Fprintf(conn, "%x\r\n%s\r\n", len(head), head)
		block := fmt.Appendf(nil, "%x\r\n%s\r\n", 1<<20, strings.Repeat("x", 1<<20))
		for range twoHundredMB >> 20 {
			if _, err := conn.Write(block); err != nil {
				break // cut
			}
		}
		_, _ = io.WriteString(conn, "0\r\n\r\n")
		resp, body := answerOn(t, conn)
		p := wantProblem(t, resp, body, 413)
		if !strings.Contains(p.Detail, "1.0 MB") {
			t.Errorf("detail %q", p.Detail)
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
			t.Errorf("%d bytes were allocated for a document limit of 1 MiB", used)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	t.Run("parts that nobody asked for, and JSON, are cut too", func(t *testing.T) {
		addr, stop := run(t, testConfig(newBackend()))
		for _, tt := range []struct{ path, contentType, head string }{
			{"/ingest", form, "--b\r\nContent-Disposition: form-data; name=\"other\"; filename=\"a\"\r\n\r\n"},
			{"/ingest/text", urlencodedType, "text="},
			{"/auth/oauth/token", form, "--b\r\nContent-Disposition: form-data; name=\"other\"; filename=\"a\"\r\n\r\n"},
			{"/query/search", "application/json", `{"query":"`},
		} {
			conn := dial(t, addr)
			send(t, conn, "POST "+tt.path+" HTTP/1.1", tt.contentType, "Transfer-Encoding: chunked", "")
			_, _ = fmt.Fprintf(conn, "%x\r\n%s\r\n", len(tt.head), tt.head)
			for range 4 {
				_, _ = fmt.Fprintf(conn, "%x\r\n%s\r\n", 1<<20, strings.Repeat("x", 1<<20))
			}
			resp, body := answerOn(t, conn) // and the body has not ended yet
			wantProblem(t, resp, body, 413)
			_ = conn.Close()
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	t.Run("an answer does not wait for the rest of a body", func(t *testing.T) {
		addr, stop := run(t, testConfig(newBackend()))
		conn := dial(t, addr)
		send(t, conn, "POST /nope HTTP/1.1", form, "Transfer-Encoding: chunked", "1\r\nx\r\n")
		_ = conn.SetReadDeadline(time.Now().Add(2 * time.Second))
		resp, body := answerOn(t, conn)
		wantProblem(t, resp, body, 404)
		_ = conn.Close()
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	t.Run("a client that waits for a word to go on gets the answer at once", func(t *testing.T) {
		addr, stop := run(t, testConfig(newBackend()))
		conn := dial(t, addr)
		started := time.Now()
		send(t, conn, "POST /ingest HTTP/1.1", form, length+"\r\nExpect: 100-continue", "")
		resp, body := answerOn(t, conn)
		wantProblem(t, resp, body, 413)
		if err := stop(); err != nil {
			t.Error(err)
		}
		if took := time.Since(started); took > 3*time.Second {
			t.Errorf("it took %s", took)
		}
	})
	t.Run("a connection goes on after a small form", func(t *testing.T) {
		addr, stop := run(t, testConfig(newBackend()))
		conn := dial(t, addr)
		r := bufio.NewReader(conn)
		for range 3 {
			body, contentType := multipartForm(t, map[string]string{"ontology": "o"}, &testFile{"file", "a.txt", "text"})
			send(t, conn, "POST /ingest HTTP/1.1", contentType, fmt.Sprintf("Content-Length: %d", len(body)), body)
			resp, err := nethttp.ReadResponse(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != 200 || resp.Close {
				t.Errorf("%d %s, closing %v", resp.StatusCode, answer, resp.Close)
			}
		}
		_ = conn.Close()
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestSlowBodies(t *testing.T) {
	cfg := testConfig(newBackend())
	cfg.Limits.Body = 50 * time.Millisecond
	cfg.Limits.MaxDocumentBytes = 1000 // so that an upload gets no extra time
	addr, stop := run(t, cfg)
	for _, path := range []string{"/query/search", "/auth/oauth/token", "/ingest"} {
		conn := dial(t, addr)
		send(t, conn, "POST "+path+" HTTP/1.1", multipartType+"; boundary=b", "Content-Length: 100", "--b")
		resp, body := answerOn(t, conn)
		wantProblem(t, resp, body, nethttp.StatusRequestTimeout)
		_ = conn.Close()
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestTheTimeForABodyEndsWithIt(t *testing.T) {
	b := newBackend()
	b.onSearch = func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return errors.New("cancelled while it was worked on")
		case <-time.After(200 * time.Millisecond):
			return nil
		}
	}
	cfg := testConfig(b)
	cfg.Limits.Body = 30 * time.Millisecond
	addr, stop := run(t, cfg)
	conn := dial(t, addr)
	send(t, conn, "POST /query/search HTTP/1.1", "application/json", "Content-Length: 13", `{"query":"a"}`)
	if resp, body := answerOn(t, conn); resp.StatusCode != 200 {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestUploadBudget(t *testing.T) {
	b := newBackend()
	b.wait = make(chan struct{})
	cfg := testConfig(b)
	cfg.Limits.UploadBytes = 500
	s := newTestServer(t, cfg)
	first := make(chan int, 1)
	form := map[string]string{"ontology": "o"}
	go func() {
		status, _ := ingestFile(t, s, form, &testFile{"file", "a.txt", "text"})
		first <- status
	}()
	eventually(t, "the first is being worked on", func() bool { b.mu.Lock(); defer b.mu.Unlock(); return len(b.submitted) == 1 })
	body, contentType := multipartForm(t, form, &testFile{"file", "a.txt", "text"})
	resp, answer := call(t, s, request{method: "POST", path: "/ingest", body: body, contentType: contentType})
	wantProblem(t, resp, answer, 503)
	if resp.Header.Get("Retry-After") != "2" {
		t.Errorf("Retry-After %q", resp.Header.Get("Retry-After"))
	}
	close(b.wait)
	if status := <-first; status != 200 {
		t.Errorf("the first: %d", status)
	}
	if status, answer := ingestFile(t, s, form, &testFile{"file", "a.txt", "text"}); status != 200 {
		t.Errorf("after it: %d %s", status, answer)
	}
	if s.uploads.free != 500 {
		t.Errorf("%d bytes are free, want all 500", s.uploads.free)
	}
}
