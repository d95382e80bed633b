package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"
)

const (
	slowConnections = 200
	slowFor         = 100 * time.Second // by then the server must have ended each of them; one that is idle between requests may stay a minute
)

// slow are ways to hold a connection with little: what is sent first, and then every second.
var slow = []struct{ name, first, drip string }{
	{"nothing", "", ""},
	{"half a first line", "GET /jo", ""},
	{"a header without an end", "GET /jobs HTTP/1.1\r\nHost: 127.0.0.1\r\n", "X-A: 1\r\n"},
	{"a letter a second", "GET /jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ", "a"},
	{"a body that does not come", "POST /auth/oauth/token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\n", ""},
	{"a body of a byte a second", "POST /auth/oauth/token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\n", "a"},
	{"pieces without an end", "POST /auth/oauth/token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n"},
	{"a WebSocket that says nothing", "GET /worker/websocket?vsn=2.0.0&token=x HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", ""},
}

// attackConnections holds many connections open, each in a way that costs little. The server
// ends all of them, and answers others meanwhile.
func attackConnections(ctx context.Context, t *target, out *tally) error {
	ctx, cancel := context.WithTimeout(ctx, slowFor)
	defer cancel()
	var held sync.WaitGroup
	for i := range slowConnections {
		way := slow[i%len(slow)]
		held.Go(func() {
			out.try()
			if err := t.hold(ctx, way.first, way.drip); err != nil {
				out.hole("%s: %v", way.name, err)
			}
		})
	}
	honest := time.NewTicker(time.Second)
	defer honest.Stop()
	done := make(chan struct{})
	go func() { held.Wait(); close(done) }()
	for {
		select {
		case <-done:
			return nil
		case <-honest.C:
			if err := t.alive(context.WithoutCancel(ctx)); err != nil {
				out.hole("beside slow connections: %v", err)
			}
		}
	}
}

// hold keeps a connection until the server ends it.
func (t *target) hold(ctx context.Context, first, drip string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(t.url, "http://"))
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(first)); err != nil {
		return nil // it has ended already
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for buffer := make([]byte, 4096); ; {
			if _, err := conn.Read(buffer); err != nil {
				return
			}
		}
	}()
	every := time.NewTicker(time.Second)
	defer every.Stop()
	began := time.Now()
	for {
		select {
		case <-ended:
			return nil
		case <-ctx.Done():
			_ = conn.Close() // the reader ends
			<-ended
			return fmt.Errorf("the connection is open after %v", time.Since(began).Round(time.Second))
		case <-every.C:
			if drip != "" {
				_, _ = conn.Write([]byte(drip)) // the reader says when it has ended
			}
		}
	}
}
