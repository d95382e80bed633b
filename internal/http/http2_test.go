package http_test

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	nethttp "net/http"

	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

const http2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// Types and flags of HTTP/2's frames (RFC 9113, section 6).
const (
	frameHeaders      = 1
	frameRSTStream    = 3
	frameSettings     = 4
	frameContinuation = 9
	flagEndStream     = 1
	flagEndHeaders    = 4
)

// http2Frame returns one frame.
func http2Frame(kind, flags byte, stream uint32, payload []byte) []byte {
	head := []byte{byte(len(payload) >> 16), byte(len(payload) >> 8), byte(len(payload)), kind, flags}
	return append(binary.BigEndian.AppendUint32(head, stream), payload...)
}

// livezHeaders ask for GET /livez, compressed by HPACK.
func livezHeaders() []byte {
	return []byte("\x82\x86\x04\x06/livez\x01\x09localhost")
}

// moreHeaders returns a frame with one more header, of 264 bytes, after which others follow.
func moreHeaders() []byte {
	return http2Frame(frameContinuation, 0, 1, []byte("\x00\x01a\x7f\x89\x01"+strings.Repeat("b", 264)))
}

// settings returns a frame that sets SETTINGS_HEADER_TABLE_SIZE.
func settings(tableSize uint32) []byte {
	return http2Frame(frameSettings, 0, 0, binary.BigEndian.AppendUint32([]byte{0, 1}, tableSize))
}

// needHTTP2 turns HTTP/2 on, and skips a test that was built with a Go in which it
// is not safe.
func needHTTP2(t *testing.T, cfg *http.Config) {
	t.Helper()
	if err := http.CheckHTTP2(runtime.Version()); err != nil {
		t.Skip(err)
	}
	cfg.HTTP2 = true
}

// http2Floods are what strangers send, a step of each at a time. The stream's
// number is odd and rises.
var http2Floods = map[string]func(stream uint32) []byte{
	"settings that change the header table while answers are written": func(stream uint32) []byte {
		step := http2Frame(frameHeaders, flagEndHeaders|flagEndStream, stream, livezHeaders())
		for range 6 {
			step = append(append(step, settings(0)...), settings(4096)...)
		}
		return step
	},
	"requests that are reset at once": func(stream uint32) []byte {
		return append(http2Frame(frameHeaders, flagEndHeaders|flagEndStream, stream, livezHeaders()),
			http2Frame(frameRSTStream, 0, stream, []byte{0, 0, 0, 8})...)
	},
	"headers that never end": func(stream uint32) []byte {
		if stream == 1 {
			return http2Frame(frameHeaders, 0, 1, livezHeaders())
		}
		return moreHeaders()
	},
}

// TestHTTP2Floods has strangers flood the server with frames, on eight connections
// for a second: it lives, and answers others. With HTTP/2 on, in Go 1.26.8, the
// settings make the race detector speak each time, and end one run in three without.
func TestHTTP2Floods(t *testing.T) {
	for _, on := range []bool{false, true} {
		for name, step := range http2Floods {
			t.Run(map[bool]string{false: "off: ", true: "on: "}[on]+name, func(t *testing.T) {
				t.Parallel()
				cfg := http.Config{}
				if on {
					needHTTP2(t, &cfg)
				}
				addr, stop := run(t, cfg, &sample{})
				until := time.Now().Add(time.Second)
				var strangers sync.WaitGroup
				for range 8 {
					strangers.Go(func() {
						for time.Now().Before(until) {
							flood(t, addr, until, step)
						}
					})
				}
				strangers.Wait()
				wantAlive(t, addr)
				if err := stop(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// flood sends steps on one connection until the server closes it, or the time is
// over, and reads what it answers.
func flood(t *testing.T, addr string, until time.Time, step func(stream uint32) []byte) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Errorf("the server takes no connection any more: %v", err)
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(until)
	var reader sync.WaitGroup
	reader.Go(func() { _, _ = io.Copy(io.Discard, conn) })
	defer reader.Wait()
	defer conn.Close()
	w := bufio.NewWriterSize(conn, 16<<10)
	_, _ = w.WriteString(http2Preface)
	_, _ = w.Write(http2Frame(frameSettings, 0, 0, nil))
	pace := time.NewTicker(time.Millisecond)
	defer pace.Stop()
	for stream := uint32(1); time.Now().Before(until); stream += 2 {
		if _, err := w.Write(step(stream)); err != nil {
			return
		}
		if stream%40 == 1 { // so that answers are written meanwhile, not streams refused
			_ = w.Flush()
			<-pace.C
		}
	}
}

// wantAlive asks for /livez on a connection of its own.
func wantAlive(t *testing.T, addr string) {
	t.Helper()
	conn := apitest.Dial(t, addr)
	defer conn.Close()
	_, _ = io.WriteString(conn, "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	if resp, body := apitest.Answer(t, conn); resp.StatusCode != nethttp.StatusOK {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

func TestHTTP2IsOffUnlessAskedFor(t *testing.T) {
	addr, stop := run(t, http.Config{}, &sample{})
	conn := apitest.Dial(t, addr)
	_, _ = io.WriteString(conn, http2Preface+string(http2Frame(frameSettings, 0, 0, nil)))
	resp, body := apitest.Answer(t, conn)
	apitest.WantProblem(t, resp, body, nethttp.StatusHTTPVersionNotSupported)
	if resp.ProtoMajor != 1 || !resp.Close {
		t.Errorf("answered with %s, closing %t", resp.Proto, resp.Close)
	}
	_ = conn.Close()
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestHTTP2NeedsASafeGo(t *testing.T) {
	for goVersion, safe := range map[string]bool{
		"go1.26.8": false, "go1.26.9": true, "go1.26.10": true, "go1.26rc1": false, "go1.27.0": true, "go1.26": false, "go1.25.9": false,
		"go1.26.9 X:jsonv2": true, "devel go1.27-0123abcd": false, "": false,
	} {
		if err := http.CheckHTTP2(goVersion); (err == nil) != safe {
			t.Errorf("%q: %v, want safe: %t", goVersion, err, safe)
		}
	}
}
