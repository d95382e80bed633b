//go:build unix

package dataset

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/dataset/frame"
	wire "github.com/kappagraph/kappa/internal/sandbox/frame"
	"github.com/kappagraph/kappa/internal/sandbox/walls"
)

// TestMain is also the worker of these tests: one that does what a request says.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "--parent") {
		obey()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// Files that a worker looks for while it starts.
const (
	diesOnce   = "dies-once"   // it ends, and takes the file away
	neverReady = "never-ready" // it waits
)

// outerPID is the process id that the server knows a worker by, which sees itself as 1.
func outerPID() int {
	name, _ := os.Readlink("/proc/self") // which was mounted outside
	pid, _ := strconv.Atoi(name)
	return pid
}

// hang waits for the end of this process.
func hang() { time.Sleep(time.Hour) }

// obey answers requests; the SQL says how.
func obey() {
	dir := os.Args[slices.Index(os.Args, "--files")+1]
	if os.Remove(filepath.Join(dir, diesOnce)) == nil {
		os.Exit(3) //nolint:revive // before it is ready
	}
	if _, err := os.Stat(filepath.Join(dir, neverReady)); err == nil {
		hang()
	}
	_ = wire.Write(os.Stdout, wire.Hello{Version: "fake", InForce: []string{strings.Join(os.Environ(), ",")}}, frame.MaxAnswer)
	pid := outerPID()
	for {
		var r frame.Request
		envelope := wire.Request{Body: &r}
		if wire.Read(os.Stdin, &envelope, frame.MaxRequest) != nil {
			return
		}
		if r.SQL == "no-database" || r.SQL == "no-second-database" && envelope.ID > 1 {
			os.Exit(2) //nolint:revive // as Go's runtime does when a library fails in a thread
		}
		if r.SQL != "at once" {
			_ = wire.Write(os.Stdout, wire.Answer{ID: envelope.ID, Begins: true}, frame.MaxAnswer)
		}
		a := frame.Answer{Rows: &datasets.Rows{TotalRows: int64(pid)}}
		reply := wire.Answer{ID: envelope.ID, Body: &a}
		var rows []byte
		switch verb, rest, _ := strings.Cut(r.SQL, " "); verb {
		case "hang":
			for { //nolint:staticcheck // it is busy, and hears nothing
			}
		case "sleep":
			hang()
		case "exit":
			os.Exit(7) //nolint:revive // a worker that ends
		case "cpu":
			os.Exit(walls.ExitOutOfTime) //nolint:revive // likewise
		case "paths": // how many of the files it can read
			a.Rows.TotalRows = 0
			for _, t := range r.Tables {
				if content, err := os.ReadFile(t.Path); err == nil && strings.HasPrefix(string(content), "PAR1") {
					a.Rows.TotalRows++
				}
			}
		case "write":
			if err := os.WriteFile(r.Output, []byte("the answer"), 0); err != nil {
				panic(err)
			}
		case "nothing":
			a.Rows = nil
		case "panic":
			panic("out of memory")
		case "signal":
			hang() // the test sends it
		case "garbage":
			_, _ = os.Stdout.WriteString("garbage, and much of it")
			continue
		case "flood":
			for {
				if _, err := os.Stdout.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		case "noise":
			_, _ = os.Stderr.Write(make([]byte, 8<<20))
		case "twice":
			reply.Begins = true
		case "lie":
			reply.ID++
		case "half":
			_, _ = os.Stdout.Write([]byte{0, 0, 1, 0, '{'})
			os.Exit(0) //nolint:revive // likewise
		case "fat":
			reply.RSSBytes = 1 << 40
		case "rows": // so many, of so many bytes each
			var n, size int
			_, _ = fmt.Sscan(rest, &n, &size)
			a.Rows.TotalRows = int64(n)
			rows = bytes.Repeat([]byte(`{"t":"`+strings.Repeat("x", size)+"\"}\n"), n)
		case "lines":
			rows = []byte(rest)
		case "fail":
			a.Rows, a.Error = nil, &datasets.Error{Type: datasets.ErrorType(rest), Message: "no " + r.Tables[0].Path}
		}
		reply.TrailBytes = len(rows)
		_ = wire.Write(os.Stdout, reply, frame.MaxAnswer)
		_, _ = os.Stdout.Write(rows)
	}
}
