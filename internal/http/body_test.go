package http_test

import (
	"context"
	"errors"
	"io"
	"os"
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

// TestABodyThatDoesNotComeHoldsNoConnection announces a body of which nothing, or a byte now
// and then, comes: the answer is 408, and then the connection ends.
func TestABodyThatDoesNotComeHoldsNoConnection(t *testing.T) {
	for name, drip := range map[string]string{"nothing comes": "", "a byte now and then": "a"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr, stop := run(t, http.Config{Limits: http.Limits{Body: 200 * time.Millisecond}}, &sample{})
			conn := apitest.Dial(t, addr)
			apitest.Write(t, conn, "POST /sample HTTP/1.1", "application/json", "Content-Length: 100000", "{")
			dripping := make(chan struct{})
			go func() {
				defer close(dripping)
				pace := time.NewTicker(100 * time.Millisecond)
				defer pace.Stop()
				for ; ; <-pace.C {
					if _, err := io.WriteString(conn, drip); err != nil {
						return
					}
				}
			}()
			if resp, body := apitest.Answer(t, conn); resp.StatusCode != nethttp.StatusRequestTimeout {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
			_ = conn.SetReadDeadline(time.Now().Add(15 * time.Second))
			if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the connection is open 15 s after the answer")
			}
			_ = conn.Close()
			<-dripping
			if err := stop(); err != nil {
				t.Error(err)
			}
		})
	}
}
