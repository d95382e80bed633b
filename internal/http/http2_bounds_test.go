package http_test

import (
	"bytes"
	"context"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// askHeaders ask for GET /sample/x with a good token, compressed by HPACK.
func askHeaders() []byte {
	return []byte("\x82\x86\x04\x09/sample/x\x01\x09localhost\x0f\x08\x0bBearer good")
}

// TestResetRequestsAreBounded resets requests at once, whose handlers go on all the
// same: one connection has no more of them than it may have streams.
func TestResetRequestsAreBounded(t *testing.T) {
	var running atomic.Int64
	release := make(chan struct{})
	s := &sample{onAsk: func(context.Context) error {
		running.Add(1)
		<-release
		return nil
	}}
	var cfg http.Config
	needHTTP2(t, &cfg)
	addr, stop := run(t, cfg, s)
	flood(t, addr, time.Now().Add(time.Second), func(stream uint32) []byte {
		return append(http2Frame(frameHeaders, flagEndHeaders|flagEndStream, stream, askHeaders()),
			http2Frame(frameRSTStream, 0, stream, []byte{0, 0, 0, 8})...)
	})
	if n := running.Load(); n == 0 || n > http.MaxHTTP2Streams {
		t.Errorf("%d requests of one connection are worked on, want 1 to %d", n, http.MaxHTTP2Streams)
	}
	wantAlive(t, addr)
	close(release)
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestEndlessHeadersEndTheirConnection sends headers that never end: the connection
// is closed long before it has taken 32 MB of them.
func TestEndlessHeadersEndTheirConnection(t *testing.T) {
	var cfg http.Config
	needHTTP2(t, &cfg)
	addr, stop := run(t, cfg, &sample{})
	conn := apitest.Dial(t, addr)
	go func() { _, _ = io.Copy(io.Discard, conn) }()
	_, _ = io.WriteString(conn, http2Preface+string(http2Frame(frameSettings, 0, 0, nil))+string(http2Frame(frameHeaders, 0, 1, livezHeaders())))
	step := bytes.Repeat(moreHeaders(), 64)
	sent := 0
	for sent < 32<<20 {
		n, err := conn.Write(step)
		sent += n
		if err != nil {
			break
		}
	}
	if sent >= 32<<20 {
		t.Errorf("the server has taken %d MB of headers", sent>>20)
	}
	_ = conn.Close()
	if err := stop(); err != nil {
		t.Error(err)
	}
}
