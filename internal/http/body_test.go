package http

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	nethttp "net/http"
)

const twoHundredMB = 200 << 20

// TestTooLargeBodies sends bodies of 200 MB: the answer comes at once, and memory stays small
// (Q50).
func TestTooLargeBodies(t *testing.T) {
	const form = MultipartType + "; boundary=b"
	length := fmt.Sprintf("Content-Length: %d", twoHundredMB)
	t.Run("a body that says to be too large is refused before it is sent", func(t *testing.T) {
		addr, stop := run(t, testConfig(newBackend()))
		quickest := time.Hour // a busy machine may delay some
		for _, path := range []string{"/ingest", "/ingest/text", "/jobs", "/sample"} {
			conn := dial(t, addr)
			began := time.Now()
			send(t, conn, "POST "+path+" HTTP/1.1", form, length, "")
			resp, body := answerOn(t, conn)
			quickest = min(quickest, time.Since(began))
			wantProblem(t, resp, body, 413)
			if !resp.Close {
				t.Errorf("%s: the connection is to be used again", path)
			}
			_ = conn.Close()
		}
		if quickest > 50*time.Millisecond {
			t.Errorf("the quickest answer took %s", quickest)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	t.Run("a client that sends 200 MB before it reads still gets the answer", func(t *testing.T) {
		for path, status := range map[string]int{"/ingest": 413, "/nope": 404} {
			addr, stop := run(t, testConfig(newBackend()))
			conn := dial(t, addr)
			send(t, conn, "POST "+path+" HTTP/1.1", form, length, "")
			block := make([]byte, 1<<20)
			for sent := 0; sent < twoHundredMB; sent += len(block) {
				if _, err := conn.Write(block); err != nil {
					t.Fatalf("%s: after %d bytes: %v", path, sent, err)
				}
			}
			resp, body := answerOn(t, conn)
			wantProblem(t, resp, body, status)
			if err := stop(); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("a body without end is cut at the limit, in bounded memory", func(t *testing.T) {
		addr, stop := run(t, testConfig(newBackend()))
		conn := dial(t, addr)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		send(t, conn, "POST /ingest HTTP/1.1", form, "Transfer-Encoding: chunked", "")
		head := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n"
		_, _ = fmt.Fprintf(conn, "%x\r\n%s\r\n", len(head), head)
		block := fmt.Appendf(nil, "%x\r\n%s\r\n", 1<<20, strings.Repeat("x", 1<<20))
		for range twoHundredMB >> 20 {
			if _, err := conn.Write(block); err != nil {
				break // cut
			}
		}
		_, _ = io.WriteString(conn, "0\r\n\r\n")
		resp, body := answerOn(t, conn)
		p := wantProblem(t, resp, body, 413)
		if !strings.Contains(p.Detail, "1.0 MB") {
			t.Errorf("detail %q", p.Detail)
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
			t.Errorf("%d bytes were allocated for a document limit of 1 MiB", used)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	t.Run("parts that nobody asked for, and JSON, are cut too", func(t *testing.T) {
		addr, stop := run(t, testConfig(newBackend()))
		for _, tt := range []struct{ path, contentType, head string }{
			{"/ingest", form, "--b\r\nContent-Disposition: form-data; name=\"other\"; filename=\"a\"\r\n\r\n"},
			{"/ingest/text", URLEncodedType, "text="},
			{"/auth/oauth/token", form, "--b\r\nContent-Disposition: form-data; name=\"other\"; filename=\"a\"\r\n\r\n"},
			{"/sample", "application/json", `{"query":"`},
		} {
			conn := dial(t, addr)
			send(t, conn, "POST "+tt.path+" HTTP/1.1", tt.contentType, "Transfer-Encoding: chunked", "")
			_, _ = fmt.Fprintf(conn, "%x\r\n%s\r\n", len(tt.head), tt.head)
			for range 4 {
				_, _ = fmt.Fprintf(conn, "%x\r\n%s\r\n", 1<<20, strings.Repeat("x", 1<<20))
			}
			resp, body := answerOn(t, conn) // and the body has not ended yet
			wantProblem(t, resp, body, 413)
			_ = conn.Close()
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	t.Run("an answer does not wait for the rest of a body", func(t *testing.T) {
		addr, stop := run(t, testConfig(newBackend()))
		conn := dial(t, addr)
		send(t, conn, "POST /nope HTTP/1.1", form, "Transfer-Encoding: chunked", "1\r\nx\r\n")
		_ = conn.SetReadDeadline(time.Now().Add(2 * time.Second))
		resp, body := answerOn(t, conn)
		wantProblem(t, resp, body, 404)
		_ = conn.Close()
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	t.Run("a client that waits for a word to go on gets the answer at once", func(t *testing.T) {
		addr, stop := run(t, testConfig(newBackend()))
		conn := dial(t, addr)
		started := time.Now()
		send(t, conn, "POST /ingest HTTP/1.1", form, length+"\r\nExpect: 100-continue", "")
		resp, body := answerOn(t, conn)
		wantProblem(t, resp, body, 413)
		if err := stop(); err != nil {
			t.Error(err)
		}
		if took := time.Since(started); took > 3*time.Second {
			t.Errorf("it took %s", took)
		}
	})
	t.Run("a connection goes on after a small form", func(t *testing.T) {
		addr, stop := run(t, testConfig(newBackend()))
		conn := dial(t, addr)
		r := bufio.NewReader(conn)
		for range 3 {
			body, contentType := multipartForm(t, map[string]string{"ontology": "o"}, &testFile{"file", "a.txt", "text"})
			send(t, conn, "POST /ingest HTTP/1.1", contentType, fmt.Sprintf("Content-Length: %d", len(body)), body)
			resp, err := nethttp.ReadResponse(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != 200 || resp.Close {
				t.Errorf("%d %s, closing %v", resp.StatusCode, answer, resp.Close)
			}
		}
		_ = conn.Close()
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestSlowBodies(t *testing.T) {
	cfg := testConfig(newBackend())
	cfg.Limits.Body = 50 * time.Millisecond
	cfg.Limits.MaxDocumentBytes = 1000 // so that an upload gets no extra time
	addr, stop := run(t, cfg)
	for _, path := range []string{"/sample", "/auth/oauth/token", "/ingest"} {
		conn := dial(t, addr)
		send(t, conn, "POST "+path+" HTTP/1.1", MultipartType+"; boundary=b", "Content-Length: 100", "--b")
		resp, body := answerOn(t, conn)
		wantProblem(t, resp, body, nethttp.StatusRequestTimeout)
		_ = conn.Close()
	}
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

func TestUploadBudget(t *testing.T) {
	b := newBackend()
	b.wait = make(chan struct{})
	cfg := testConfig(b)
	cfg.Limits.UploadBytes = 500
	s := newTestServer(t, cfg)
	first := make(chan int, 1)
	form := map[string]string{"ontology": "o"}
	go func() {
		status, _ := ingestFile(t, s, form, &testFile{"file", "a.txt", "text"})
		first <- status
	}()
	eventually(t, "the first is being worked on", func() bool { b.mu.Lock(); defer b.mu.Unlock(); return len(b.submitted) == 1 })
	body, contentType := multipartForm(t, form, &testFile{"file", "a.txt", "text"})
	resp, answer := call(t, s, request{method: "POST", path: "/ingest", body: body, contentType: contentType})
	wantProblem(t, resp, answer, 503)
	if resp.Header.Get("Retry-After") != "2" {
		t.Errorf("Retry-After %q", resp.Header.Get("Retry-After"))
	}
	close(b.wait)
	if status := <-first; status != 200 {
		t.Errorf("the first: %d", status)
	}
	if status, answer := ingestFile(t, s, form, &testFile{"file", "a.txt", "text"}); status != 200 {
		t.Errorf("after it: %d %s", status, answer)
	}
	if s.uploads.free != 500 {
		t.Errorf("%d bytes are free, want all 500", s.uploads.free)
	}
}
