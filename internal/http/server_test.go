package http_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// ask sends a question on a connection of its own, and returns the answer's status.
func ask(t testing.TB, addr string) int {
	t.Helper()
	conn := apitest.Dial(t, addr)
	apitest.Write(t, conn, "POST /sample HTTP/1.1", "application/json", "Content-Length: 13", `{"query":"a"}`)
	resp, _ := apitest.Answer(t, conn)
	return resp.StatusCode
}

func TestRun(t *testing.T) {
	t.Run("a stop lets requests finish", func(t *testing.T) {
		b := &sample{}
		answer := b.holdQuestions(nil)
		addr, stop := run(t, http.Config{}, b)
		status := make(chan int, 1)
		go func() { status <- ask(t, addr) }()
		apitest.Eventually(t, "the request is being worked on", func() bool { return b.asked.Load() == 1 })
		ended := make(chan error, 1)
		go func() { ended <- stop() }()
		await.Never(t, 50*time.Millisecond, "Run returned before its request", func() bool { return len(ended) > 0 })
		close(answer)
		if got := <-status; got != 200 {
			t.Errorf("status %d, want 200", got)
		}
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Run("a request that does not end is cancelled", func(t *testing.T) {
		b := &sample{}
		b.holdQuestions(context.Canceled)
		cfg := http.Config{}
		cfg.Limits.Drain(50 * time.Millisecond)
		addr, stop := run(t, cfg, b)
		conn := apitest.Dial(t, addr)
		apitest.Write(t, conn, "POST /sample HTTP/1.1", "application/json", "Content-Length: 13", `{"query":"a"}`)
		apitest.Eventually(t, "the request is being worked on", func() bool { return b.asked.Load() == 1 })
		_, _ = io.WriteString(conn, "GET") // a next request begins: the end of the connection will go unnoticed
		if err := stop(); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Run("a request that does not heed that is waited for", func(t *testing.T) {
		b := &sample{}
		cancelled, end := make(chan struct{}), make(chan struct{})
		b.onAsk = func(ctx context.Context) error {
			<-ctx.Done()
			close(cancelled)
			<-end
			return nil
		}
		cfg := http.Config{}
		cfg.Limits.Drain(20 * time.Millisecond)
		addr, stop := run(t, cfg, b)
		apitest.Write(t, apitest.Dial(t, addr), "POST /sample HTTP/1.1", "application/json", "Content-Length: 13", `{"query":"a"}`)
		apitest.Eventually(t, "the request is being worked on", func() bool { return b.asked.Load() == 1 })
		ended := make(chan error, 1)
		go func() { ended <- stop() }()
		<-cancelled
		await.Never(t, 50*time.Millisecond, "Run returned while a request was worked on", func() bool { return len(ended) > 0 })
		close(end)
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Run("a client that goes cancels its request", func(t *testing.T) {
		b := &sample{}
		b.holdQuestions(nil)
		addr, stop := run(t, http.Config{}, b)
		conn := apitest.Dial(t, addr)
		body := `{"query":"` + strings.Repeat("text ", 10_000) + `"}`
		apitest.Write(t, conn, "POST /sample HTTP/1.1", "application/json", fmt.Sprintf("Content-Length: %d", len(body)), body)
		apitest.Eventually(t, "the request is being worked on", func() bool { return b.asked.Load() == 1 })
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
		if err := apitest.Serve(t, &sample{}).Run(t.Context(), ln); err == nil || !strings.Contains(err.Error(), "serve on 127.0.0.1:") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("headers have a limit", func(t *testing.T) {
		addr, stop := run(t, http.Config{}, &sample{})
		conn := apitest.Dial(t, addr)
		_, _ = fmt.Fprintf(conn, "GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: %s\r\n\r\n", strings.Repeat("a", 40<<10))
		if line, _ := bufio.NewReader(conn).ReadString('\n'); !strings.Contains(line, "431") {
			t.Errorf("answer %q", line)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}
