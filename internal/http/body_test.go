package http

import (
	"context"
	"errors"
	"testing"
	"time"

	nethttp "net/http"
)

func TestSlowBodies(t *testing.T) {
	cfg := testConfig(newBackend())
	cfg.Limits.Body = 50 * time.Millisecond
	addr, stop := run(t, cfg)
	conn := dial(t, addr)
	send(t, conn, "POST /sample HTTP/1.1", "application/json", "Content-Length: 100", "{")
	resp, body := answerOn(t, conn)
	wantProblem(t, resp, body, nethttp.StatusRequestTimeout)
	_ = conn.Close()
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestTheTimeForABodyEndsWithIt(t *testing.T) {
	b := newBackend()
	b.onAsk = func(ctx context.Context) error {
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
	send(t, conn, "POST /sample HTTP/1.1", "application/json", "Content-Length: 13", `{"query":"a"}`)
	if resp, body := answerOn(t, conn); resp.StatusCode != 200 {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}
