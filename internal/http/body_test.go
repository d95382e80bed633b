package http_test

import (
	"context"
	"errors"
	"testing"
	"time"

	nethttp "net/http"

	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestSlowBodies(t *testing.T) {
	cfg := http.Config{}
	cfg.Limits.Body = 50 * time.Millisecond
	addr, stop := run(t, cfg, &sample{})
	conn := apitest.Dial(t, addr)
	apitest.Write(t, conn, "POST /sample HTTP/1.1", "application/json", "Content-Length: 100", "{")
	resp, body := apitest.Answer(t, conn)
	apitest.WantProblem(t, resp, body, nethttp.StatusRequestTimeout)
	_ = conn.Close()
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestTheTimeForABodyEndsWithIt(t *testing.T) {
	b := &sample{}
	b.onAsk = func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return errors.New("cancelled while it was worked on")
		case <-time.After(200 * time.Millisecond):
			return nil
		}
	}
	cfg := http.Config{}
	cfg.Limits.Body = 30 * time.Millisecond
	addr, stop := run(t, cfg, b)
	conn := apitest.Dial(t, addr)
	apitest.Write(t, conn, "POST /sample HTTP/1.1", "application/json", "Content-Length: 13", `{"query":"a"}`)
	if resp, body := apitest.Answer(t, conn); resp.StatusCode != 200 {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}
