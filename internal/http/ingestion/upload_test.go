package ingestion

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	nethttp "net/http"

	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// beginUpload announces a document of size bytes, or of a size that is not
// announced when it is 0, and sends only the beginning of it.
func beginUpload(t testing.TB, addr string, size int) net.Conn {
	t.Helper()
	conn := apitest.Dial(t, addr)
	header, chunk := fmt.Sprintf("Content-Length: %d", size), ""
	const head = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\ntext"
	if size == 0 {
		header, chunk = "Transfer-Encoding: chunked", fmt.Sprintf("%x\r\n", len(head))
	}
	apitest.Write(t, conn, "POST /ingest HTTP/1.1", http.MultipartType+"; boundary=b", header, chunk+head)
	if size == 0 {
		_, _ = io.WriteString(conn, "\r\n")
	}
	return conn
}

// uploadTo sends a document on a connection of its own, and returns the answer's
// status and body.
func uploadTo(t testing.TB, addr, document string) (int, string) {
	t.Helper()
	body, contentType := apitest.MultipartForm(t, map[string]string{"ontology": "o"}, &apitest.File{Part: "file", Name: "a.txt", Body: document})
	conn := apitest.Dial(t, addr)
	defer conn.Close()
	apitest.Write(t, conn, "POST /ingest HTTP/1.1", contentType, fmt.Sprintf("Content-Length: %d", len(body)), body)
	resp, answer := apitest.Answer(t, conn)
	return resp.StatusCode, answer
}

// TestSlowUploadsBlockNobody has strangers announce as many of the largest
// documents as the memory for uploads holds, and send the beginning of them only:
// others upload all the same.
func TestSlowUploadsBlockNobody(t *testing.T) {
	for name, size := range map[string]int{"announced": 1 << 20, "chunked": 0} {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			api := New(Config{Documents: f, Web: noWeb{}, Limits: Limits{DocumentBytes: 1 << 20}})
			addr, stop := apitest.Run(t, apitest.Serve(t, api))
			var slow []net.Conn
			for range 8 {
				slow = append(slow, beginUpload(t, addr, size))
			}
			await.That(t, "they are being read", func() bool {
				api.uploads.mu.Lock()
				defer api.uploads.mu.Unlock()
				return api.uploads.total-api.uploads.free >= int64(len(slow)*len("text"))
			})
			if status, answer := uploadTo(t, addr, "text"); status != 200 {
				t.Errorf("an upload beside them: %d %s", status, answer)
			}
			large := strings.Repeat("text ", 200_000)
			if status, answer := uploadTo(t, addr, large); status != 200 {
				t.Errorf("a large one: %d %s", status, answer)
			}
			for _, conn := range slow {
				_ = conn.Close()
			}
			if err := stop(); err != nil {
				t.Error(err)
			}
			if n := len(f.submitted); n != 2 || string(f.submitted[1].Body) != large {
				t.Errorf("%d documents arrived, or not the large one as it was sent", n)
			}
		})
	}
}

// TestUploadPace has documents arrive slowly: a pause, or less than the least
// pace, ends an upload; a slow one that keeps the pace is taken.
func TestUploadPace(t *testing.T) {
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
			addr, stop := apitest.Run(t, apitest.Serve(t, New(Config{Documents: newFake(), Web: noWeb{}, Limits: Limits{grace: 300 * time.Millisecond, pace: 10_000}})))
			form, contentType := apitest.MultipartForm(t, map[string]string{"ontology": "o"}, &apitest.File{Part: "file", Name: "a.txt", Body: strings.Repeat("x", 30_000)})
			conn := apitest.Dial(t, addr)
			started := time.Now()
			apitest.Write(t, conn, "POST /ingest HTTP/1.1", contentType, fmt.Sprintf("Content-Length: %d", len(form)), form[:tt.first])
			trickle(conn, form[tt.first:], tt.step, tt.every)
			resp, body := apitest.Answer(t, conn)
			if tt.want == nethttp.StatusOK {
				if resp.StatusCode != tt.want {
					t.Errorf("%d %s after %s", resp.StatusCode, body, time.Since(started))
				}
			} else {
				apitest.WantProblem(t, resp, body, tt.want)
				if took := time.Since(started); took > 20*time.Second {
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
		pace := time.NewTicker(every)
		defer pace.Stop()
		for ; len(body) > 0; <-pace.C {
			n := min(step, len(body))
			if _, err := io.WriteString(conn, body[:n]); err != nil {
				return
			}
			body = body[n:]
		}
	}()
}

func TestUploadBudget(t *testing.T) {
	f := newFake()
	f.wait = make(chan struct{})
	api := New(Config{Documents: f, Web: noWeb{}, Limits: Limits{DocumentBytes: 1 << 20, uploadBytes: 500}})
	s := apitest.Serve(t, api)
	first := make(chan int, 1)
	form := map[string]string{"ontology": "o"}
	go func() {
		status, _ := ingestFile(t, s, form, &apitest.File{Part: "file", Name: "a.txt", Body: "text"})
		first <- status
	}()
	apitest.Eventually(t, "the first is being worked on", func() bool { return f.taken() == 1 })
	body, contentType := apitest.MultipartForm(t, form, &apitest.File{Part: "file", Name: "a.txt", Body: "text"})
	resp, answer := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/ingest", Body: body, ContentType: contentType})
	apitest.WantProblem(t, resp, answer, 503)
	if resp.Header.Get("Retry-After") != "2" {
		t.Errorf("Retry-After %q", resp.Header.Get("Retry-After"))
	}
	close(f.wait)
	if status := <-first; status != 200 {
		t.Errorf("the first: %d", status)
	}
	if status, answer := ingestFile(t, s, form, &apitest.File{Part: "file", Name: "a.txt", Body: "text"}); status != 200 {
		t.Errorf("after it: %d %s", status, answer)
	}
	if api.uploads.free != 500 {
		t.Errorf("%d bytes are free, want all 500", api.uploads.free)
	}
}
