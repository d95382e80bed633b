package http

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	nethttp "net/http"
)

// beginUpload announces a document of size bytes, or of a size that is not
// announced when it is 0, and sends only the beginning of it.
func beginUpload(t testing.TB, addr string, size int) net.Conn {
	t.Helper()
	conn := dial(t, addr)
	header, chunk := fmt.Sprintf("Content-Length: %d", size), ""
	const head = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\ntext"
	if size == 0 {
		header, chunk = "Transfer-Encoding: chunked", fmt.Sprintf("%x\r\n", len(head))
	}
	send(t, conn, "POST /ingest HTTP/1.1", MultipartType+"; boundary=b", header, chunk+head)
	if size == 0 {
		_, _ = io.WriteString(conn, "\r\n")
	}
	return conn
}

// TestSlowUploadsBlockNobody has strangers announce as many of the largest
// documents as the memory for uploads holds, and send the beginning of them only:
// others upload all the same.
func TestSlowUploadsBlockNobody(t *testing.T) {
	for name, size := range map[string]int{"announced": 1 << 20, "chunked": 0} {
		t.Run(name, func(t *testing.T) {
			b := newBackend()
			addr, stop := run(t, testConfig(b))
			var slow []net.Conn
			for range 8 {
				slow = append(slow, beginUpload(t, addr, size))
			}
			<-time.After(50 * time.Millisecond) // they are being read
			if status, answer := uploadDocument(t, addr); status != 200 {
				t.Errorf("an upload beside them: %d %s", status, answer)
			}
			large := strings.Repeat("text ", 200_000)
			body, contentType := multipartForm(t, map[string]string{"ontology": "o"}, &testFile{"file", "a.txt", large})
			conn := dial(t, addr)
			send(t, conn, "POST /ingest HTTP/1.1", contentType, fmt.Sprintf("Content-Length: %d", len(body)), body)
			if resp, answer := answerOn(t, conn); resp.StatusCode != 200 {
				t.Errorf("a large one: %d %s", resp.StatusCode, answer)
			}
			for _, conn := range slow {
				_ = conn.Close()
			}
			if err := stop(); err != nil {
				t.Error(err)
			}
			if n := len(b.submitted); n != 2 || string(b.submitted[1].Body) != large {
				t.Errorf("%d documents arrived, or not the large one as it was sent", n)
			}
		})
	}
}

// TestUploadPace has documents arrive slowly: a pause, or less than the least
// pace, ends an upload; a slow one that keeps the pace is taken.
func TestUploadPace(t *testing.T) {
	cfg := testConfig(newBackend())
	cfg.Limits.Body, cfg.Limits.UploadPace = 300*time.Millisecond, 10_000
	for name, tt := range map[string]struct {
		first int           // bytes sent at once
		every time.Duration // a step after that; 0 = never
		step  int
		want  int // status
	}{
		"the beginning only":                    {0, 0, 0, nethttp.StatusRequestTimeout},
		"most of it, and then nothing":          {25_000, 0, 0, nethttp.StatusRequestTimeout},
		"a byte now and then":                   {0, 20 * time.Millisecond, 1, nethttp.StatusRequestTimeout},
		"a good deal at once, then a byte each": {20_000, 20 * time.Millisecond, 1, nethttp.StatusRequestTimeout},
		"slowly, at twice the pace":             {0, 20 * time.Millisecond, 400, nethttp.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr, stop := run(t, cfg)
			form, contentType := multipartForm(t, map[string]string{"ontology": "o"}, &testFile{"file", "a.txt", strings.Repeat("x", 30_000)})
			conn := dial(t, addr)
			started := time.Now()
			send(t, conn, "POST /ingest HTTP/1.1", contentType, fmt.Sprintf("Content-Length: %d", len(form)), form[:tt.first])
			trickle(conn, form[tt.first:], tt.step, tt.every)
			resp, body := answerOn(t, conn)
			if tt.want == nethttp.StatusOK {
				if resp.StatusCode != tt.want {
					t.Errorf("%d %s after %s", resp.StatusCode, body, time.Since(started))
				}
			} else {
				wantProblem(t, resp, body, tt.want)
				if took := time.Since(started); took > 1500*time.Millisecond {
					t.Errorf("it was cut after %s", took)
				}
			}
			_ = conn.Close()
			if err := stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

// trickle sends body in steps, until all is sent or the server closes, while the
// caller reads the answer.
func trickle(conn net.Conn, body string, step int, every time.Duration) {
	if step == 0 {
		return
	}
	go func() {
		for len(body) > 0 {
			n := min(step, len(body))
			if _, err := io.WriteString(conn, body[:n]); err != nil {
				return
			}
			body = body[n:]
			<-time.After(every)
		}
	}()
}
