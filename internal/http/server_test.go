package http

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	nethttp "net/http"
)

// run starts a Server with Run and returns its address and what stops it, which
// returns what Run did.
func run(t testing.TB, cfg Config) (addr string, stop func() error) {
	t.Helper()
	return runServer(t, newTestServer(t, cfg))
}

func runServer(t testing.TB, s *Server) (addr string, stop func() error) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
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

// ask sends a question on a connection of its own, and returns the answer's status.
func ask(t testing.TB, addr string) int {
	t.Helper()
	conn := dial(t, addr)
	send(t, conn, "POST /sample HTTP/1.1", "application/json", "Content-Length: 13", `{"query":"a"}`)
	resp, _ := answerOn(t, conn)
	return resp.StatusCode
}

func TestRun(t *testing.T) {
	t.Run("a stop lets requests finish", func(t *testing.T) {
		b := newBackend()
		answer := b.holdQuestions(nil)
		addr, stop := run(t, testConfig(b))
		status := make(chan int, 1)
		go func() { status <- ask(t, addr) }()
		eventually(t, "the request is being worked on", func() bool { return b.asked.Load() == 1 })
		ended := make(chan error, 1)
		go func() { ended <- stop() }()
		select {
		case err := <-ended:
			t.Fatalf("Run returned before its request: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
		close(answer)
		if got := <-status; got != 200 {
			t.Errorf("status %d, want 200", got)
		}
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Run("a request that does not end is cancelled", func(t *testing.T) {
		b := newBackend()
		b.holdQuestions(context.Canceled)
		cfg := testConfig(b)
		cfg.Limits.Drain = 50 * time.Millisecond
		addr, stop := run(t, cfg)
		conn := dial(t, addr)
		send(t, conn, "POST /sample HTTP/1.1", "application/json", "Content-Length: 13", `{"query":"a"}`)
		eventually(t, "the request is being worked on", func() bool { return b.asked.Load() == 1 })
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
		b.onAsk = func(context.Context) error {
			begun.Store(true)
			<-time.After(300 * time.Millisecond)
			ended.Store(true)
			return nil
		}
		cfg := testConfig(b)
		cfg.Limits.Drain = 20 * time.Millisecond
		addr, stop := run(t, cfg)
		send(t, dial(t, addr), "POST /sample HTTP/1.1", "application/json", "Content-Length: 13", `{"query":"a"}`)
		eventually(t, "the request is being worked on", begun.Load)
		if err := stop(); err != nil || !ended.Load() {
			t.Errorf("Run returned %v while a request was worked on", err)
		}
	})
	t.Run("a client that goes cancels its request", func(t *testing.T) {
		b := newBackend()
		b.holdQuestions(nil)
		addr, stop := run(t, testConfig(b))
		conn := dial(t, addr)
		body := `{"query":"` + strings.Repeat("text ", 10_000) + `"}`
		send(t, conn, "POST /sample HTTP/1.1", "application/json", fmt.Sprintf("Content-Length: %d", len(body)), body)
		eventually(t, "the request is being worked on", func() bool { return b.asked.Load() == 1 })
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
		_, _ = fmt.Fprintf(conn, "GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: %s\r\n\r\n", strings.Repeat("a", 40<<10))
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
	if _, err := fmt.Fprintf(conn, "%s\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\n%s\r\n\r\n%s", line, goodToken, contentType, header, body); err != nil {
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

// eventually waits for a condition that other goroutines bring about.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 5 s", what)
		}
		<-time.After(time.Millisecond)
	}
}
