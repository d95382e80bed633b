package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/pgtest"
)

func TestSlowReadersOfAnswers(t *testing.T) {
	t.Parallel()
	readSlowly(t, 8, 150<<20)
}

func TestSlowReadersOfAnswers_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	readSlowly(t, 20, 300<<20)
}

// readSlowly has clients ask for an answer of 25 MB each, and read none of it for a while.
// What the server holds for them is bounded, and each gets all of its answer.
func readSlowly(t *testing.T, readers int, most int64) {
	t.Helper()
	const rows = 1000
	p := startShipped(t, t.TempDir(), "DATABASE_URL="+newDSN(t), "KG_DATASET_BIN="+needWorker(t), "KG_DATASET_DIR="+openDir(t), "KG_DATASET_WORKERS=2")
	c := login(t, p.url)
	bearer := token(t, &testServer{url: p.url})
	_, err := c.Datasets.Query(t.Context(), datasets.Query{SQL: "SELECT 1", Limit: 1})
	check(t, err)
	before := residentOf(t, p.process.Process.Pid)
	body := fmt.Sprintf(`{"sql": "SELECT range AS i, repeat('x', 25000) AS t FROM range(%d)"}`, rows)
	var open []*bufio.Reader
	for range readers {
		conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
		check(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		check(t, conn.(*net.TCPConn).SetReadBuffer(64<<10))
		check(t, conn.SetDeadline(time.Now().Add(5*time.Minute))) // which nothing but a hang reaches
		_, err = fmt.Fprintf(conn, "POST /datasets/query HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", conn.RemoteAddr(), bearer, len(body), body)
		check(t, err)
		reader := bufio.NewReaderSize(conn, 64<<10)
		_, err = reader.Peek(1)
		check(t, err)
		open = append(open, reader)
	}
	grown := residentOf(t, p.process.Process.Pid) - before
	t.Logf("the server grew from %d MiB by %d MiB", before>>20, grown>>20)
	if grown > most {
		t.Errorf("the server grew by %d MiB for %d answers of 25 MB that nobody reads", grown>>20, readers)
	}
	answered := 0
	var first []byte // answer; the others have the same rows
	for _, reader := range open {
		resp, err := http.ReadResponse(reader, nil)
		check(t, err)
		content, err := io.ReadAll(resp.Body)
		check(t, err)
		if resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "" {
			continue
		}
		answered++
		if first != nil {
			if resp.StatusCode != http.StatusOK || !bytes.Equal(untimed(content), untimed(first)) {
				t.Errorf("status %d, and %d bytes that are not those of the first answer: %.200s", resp.StatusCode, len(content), content)
			}
			continue
		}
		first = content
		var got datasets.Rows
		if err := json.Unmarshal(content, &got); err != nil || resp.StatusCode != 200 || len(got.Rows) != rows || got.TotalRows != rows || !strings.HasPrefix(string(got.Rows[rows-1]), `{"i":999,"t":"xxx`) {
			t.Fatalf("status %d, %d rows, %v: %.200s", resp.StatusCode, len(got.Rows), err, content)
		}
	}
	if answered != readers {
		t.Errorf("%d of %d were answered; there is room for all on the disk", answered, readers)
	}
}

// untimed returns an answer without the time that it took, which is its end.
func untimed(answer []byte) []byte {
	rows, _, _ := bytes.Cut(answer, []byte(`"duration_ms":`))
	return rows
}

// residentOf returns the bytes of memory that a process holds.
func residentOf(t *testing.T, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
	if err != nil {
		t.Skip("NOT TESTED: there is no /proc")
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	check(t, err)
	return pages * int64(os.Getpagesize())
}
