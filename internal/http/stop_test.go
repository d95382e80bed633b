package http_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	nethttp "net/http"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// http2Transport speaks HTTP/2 without encryption.
func http2Transport() *nethttp.Transport {
	protocols := &nethttp.Protocols{}
	protocols.SetUnencryptedHTTP2(true)
	return &nethttp.Transport{Protocols: protocols}
}

func TestRunCutsHTTP2Requests(t *testing.T) {
	b := &sample{}
	begun, cancelled, end := make(chan struct{}), make(chan struct{}), make(chan struct{})
	b.onAsk = func(ctx context.Context) error {
		close(begun)
		<-ctx.Done()
		close(cancelled)
		<-end
		return ctx.Err()
	}
	cfg := http.Config{}
	needHTTP2(t, &cfg)
	cfg.Limits.Drain(50 * time.Millisecond)
	addr, stop := run(t, cfg, b)
	tr := http2Transport()
	defer tr.CloseIdleConnections()
	req, err := nethttp.NewRequestWithContext(t.Context(), "POST", "http://"+addr+"/sample", strings.NewReader(`{"query":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer good")
	req.Header.Set("Content-Type", "application/json")
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		if resp, err := tr.RoundTrip(req); err == nil {
			_ = resp.Body.Close()
		}
	}()
	<-begun
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	<-cancelled
	await.Never(t, 50*time.Millisecond, "Run returned before its request had ended", func() bool { return len(ended) > 0 })
	close(end)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	<-answered
}

// TestStopAnswers stops a server while a question is worked on: whoever asked hears that
// the server stops, and one that ends before has its answer.
func TestStopAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		takes time.Duration
		want  string
	}{
		"a question that would go on": {time.Hour, "HTTP/1.1 503"},
		"one that ends in time":       {100 * time.Millisecond, "HTTP/1.1 200"},
	} {
		t.Run(name, func(t *testing.T) {
			b := &sample{}
			begun := make(chan struct{})
			b.onAsk = func(ctx context.Context) error {
				close(begun)
				select {
				case <-ctx.Done():
					return context.Cause(ctx)
				case <-time.After(c.takes):
					return nil
				}
			}
			cfg := http.Config{}
			cfg.Limits.Drain(600 * time.Millisecond)
			addr, stop := run(t, cfg, b)
			conn := apitest.Dial(t, addr)
			apitest.Write(t, conn, "POST /sample HTTP/1.1", "application/json", "Content-Length: 13", `{"query":"a"}`)
			<-begun
			if err := stop(); err != nil {
				t.Error(err)
			}
			_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
			answer, err := io.ReadAll(conn)
			if err != nil || !strings.HasPrefix(string(answer), c.want) {
				t.Fatalf("got %q, %v", answer, err)
			}
			if c.takes == time.Hour && (!strings.Contains(string(answer), "Retry-After: 5") || !strings.Contains(string(answer), "The server stops")) {
				t.Errorf("it does not say why, nor when to ask again: %s", answer)
			}
		})
	}
}

// TestSlowReads takes a right while an answer is read.
func TestSlowReads(t *testing.T) {
	for name, c := range map[string]struct {
		void bool
		want int
	}{"a right that lasts": {false, 200}, "a right that was taken": {true, 401}} {
		t.Run("a slow answer to "+name, func(t *testing.T) {
			b, accounts := &sample{}, apitest.NewAccounts()
			cfg := http.Config{Auth: accounts}
			cfg.Limits.Unconfirmed = time.Nanosecond // every answer is slow
			b.onAsk = func(context.Context) error {
				if c.void {
					accounts.Refuse(kappa.NewError(kappa.CodeUnauthenticated, "Could not validate credentials"))
				}
				return nil
			}
			if resp, body := apitest.Call(t, apitest.ServeWith(t, cfg, b), apitest.Request{Path: "/sample/x"}); resp.StatusCode != c.want {
				t.Errorf("status %d, want %d: %s", resp.StatusCode, c.want, body)
			}
			if n := accounts.Examined(); n != 1 {
				t.Errorf("examined again %d times, want 1", n)
			}
		})
	}
}
