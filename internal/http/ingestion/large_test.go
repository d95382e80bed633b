package ingestion

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	nethttp "net/http"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// plain is a resource whose routes take no documents: one takes JSON, one a form.
type plain struct{}

type plainInput struct {
	Body struct {
		Query string `json:"query"`
	}
}

func (plain) Register(r *http.Router) error {
	http.RegisterEmpty(r, http.Route{Method: "POST", Path: "/plain", Permission: access.GraphRead, ID: "graph.plain", Summary: "Take JSON"},
		func(context.Context, *plainInput) error { return nil })
	r.RegisterRaw(http.Route{
		Method: "POST", Path: "/plain/form", Permission: access.GraphRead, ID: "graph.plain-form", Summary: "Take a form",
		Document: http.FormSchema[struct{}](r, http.MultipartType),
	}, func(c *gin.Context) error {
		_, err := r.SmallForm(c)
		return err
	})
	return nil
}

const twoHundredMB = 200 << 20

// TestTooLargeBodies sends bodies of 200 MB: the answer comes at once, and memory stays small
// (Q50).
func TestTooLargeBodies(t *testing.T) {
	const form = http.MultipartType + "; boundary=b"
	length := fmt.Sprintf("Content-Length: %d", twoHundredMB)
	t.Run("a body that says to be too large is refused before it is sent", func(t *testing.T) {
		addr, stop := apitest.Run(t, apitest.Serve(t, New(Config{Documents: newFake(), Web: noWeb{}, Limits: Limits{DocumentBytes: 1 << 20}}), plain{}))
		for _, path := range []string{"/ingest", "/ingest/text", "/plain"} {
			conn := apitest.Dial(t, addr)
			apitest.Write(t, conn, "POST "+path+" HTTP/1.1", form, length, "")
			resp, body := apitest.Answer(t, conn)
			apitest.WantProblem(t, resp, body, 413)
			if !resp.Close {
				t.Errorf("%s: the connection is to be used again", path)
			}
			_ = conn.Close()
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	t.Run("a client that sends 200 MB before it reads still gets the answer", func(t *testing.T) {
		for path, status := range map[string]int{"/ingest": 413, "/nope": 404} {
			addr, stop := apitest.Run(t, apitest.Serve(t, New(Config{Documents: newFake(), Web: noWeb{}, Limits: Limits{DocumentBytes: 1 << 20}}), plain{}))
			conn := apitest.Dial(t, addr)
			apitest.Write(t, conn, "POST "+path+" HTTP/1.1", form, length, "")
			block := make([]byte, 1<<20)
			for sent := 0; sent < twoHundredMB; sent += len(block) {
				if _, err := conn.Write(block); err != nil {
					t.Fatalf("%s: after %d bytes: %v", path, sent, err)
				}
			}
			resp, body := apitest.Answer(t, conn)
			apitest.WantProblem(t, resp, body, status)
			if err := stop(); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("a body without end is cut at the limit, in bounded memory", func(t *testing.T) {
		addr, stop := apitest.Run(t, apitest.Serve(t, New(Config{Documents: newFake(), Web: noWeb{}, Limits: Limits{DocumentBytes: 1 << 20}}), plain{}))
		conn := apitest.Dial(t, addr)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		apitest.Write(t, conn, "POST /ingest HTTP/1.1", form, "Transfer-Encoding: chunked", "")
		head := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n"
		_, _ = fmt.Fprintf(conn, "%x\r\n%s\r\n", len(head), head)
		block := fmt.Appendf(nil, "%x\r\n%s\r\n", 1<<20, strings.Repeat("x", 1<<20))
		for range twoHundredMB >> 20 {
			if _, err := conn.Write(block); err != nil {
				break // cut
			}
		}
		_, _ = io.WriteString(conn, "0\r\n\r\n")
		resp, body := apitest.Answer(t, conn)
		p := apitest.WantProblem(t, resp, body, 413)
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
		addr, stop := apitest.Run(t, apitest.Serve(t, New(Config{Documents: newFake(), Web: noWeb{}, Limits: Limits{DocumentBytes: 1 << 20}}), plain{}))
		for _, tt := range []struct{ path, contentType, head string }{
			{"/ingest", form, "--b\r\nContent-Disposition: form-data; name=\"other\"; filename=\"a\"\r\n\r\n"},
			{"/ingest/text", http.URLEncodedType, "text="},
			{"/plain/form", form, "--b\r\nContent-Disposition: form-data; name=\"other\"; filename=\"a\"\r\n\r\n"},
			{"/plain", "application/json", `{"query":"`},
		} {
			conn := apitest.Dial(t, addr)
			apitest.Write(t, conn, "POST "+tt.path+" HTTP/1.1", tt.contentType, "Transfer-Encoding: chunked", "")
			_, _ = fmt.Fprintf(conn, "%x\r\n%s\r\n", len(tt.head), tt.head)
			for range 4 {
				_, _ = fmt.Fprintf(conn, "%x\r\n%s\r\n", 1<<20, strings.Repeat("x", 1<<20))
			}
			resp, body := apitest.Answer(t, conn) // and the body has not ended yet
			apitest.WantProblem(t, resp, body, 413)
			_ = conn.Close()
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	t.Run("an answer does not wait for the rest of a body", func(t *testing.T) {
		addr, stop := apitest.Run(t, apitest.Serve(t, New(Config{Documents: newFake(), Web: noWeb{}, Limits: Limits{DocumentBytes: 1 << 20}}), plain{}))
		conn := apitest.Dial(t, addr)
		apitest.Write(t, conn, "POST /nope HTTP/1.1", form, "Transfer-Encoding: chunked", "1\r\nx\r\n")
		_ = conn.SetReadDeadline(time.Now().Add(2 * time.Second))
		resp, body := apitest.Answer(t, conn)
		apitest.WantProblem(t, resp, body, 404)
		_ = conn.Close()
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	t.Run("a client that waits for a word to go on gets the answer at once", func(t *testing.T) {
		addr, stop := apitest.Run(t, apitest.Serve(t, New(Config{Documents: newFake(), Web: noWeb{}, Limits: Limits{DocumentBytes: 1 << 20}}), plain{}))
		conn := apitest.Dial(t, addr)
		started := time.Now()
		apitest.Write(t, conn, "POST /ingest HTTP/1.1", form, length+"\r\nExpect: 100-continue", "")
		resp, body := apitest.Answer(t, conn)
		apitest.WantProblem(t, resp, body, 413)
		if err := stop(); err != nil {
			t.Error(err)
		}
		if took := time.Since(started); took > 20*time.Second {
			t.Errorf("it took %s", took)
		}
	})
	t.Run("a connection goes on after a small form", func(t *testing.T) {
		addr, stop := apitest.Run(t, apitest.Serve(t, New(Config{Documents: newFake(), Web: noWeb{}, Limits: Limits{DocumentBytes: 1 << 20}}), plain{}))
		conn := apitest.Dial(t, addr)
		r := bufio.NewReader(conn)
		for range 3 {
			body, contentType := apitest.MultipartForm(t, map[string]string{"ontology": "o"}, &apitest.File{Part: "file", Name: "a.txt", Body: "text"})
			apitest.Write(t, conn, "POST /ingest HTTP/1.1", contentType, fmt.Sprintf("Content-Length: %d", len(body)), body)
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
