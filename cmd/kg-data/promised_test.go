//go:build cgo && linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/pgtest"
)

// roomVariable says that a test reads rows in a process of its own, and how much memory it
// has left for that.
const roomVariable = "KG_TEST_ROOM"

func TestAllRowsOrAnError(t *testing.T) {
	if room := os.Getenv(roomVariable); room != "" {
		readWithin(room)
	}
	readAtTheEdge(t, 16)
}

// TestAllRowsOrAnError_Slow tries more sizes.
func TestAllRowsOrAnError_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	readAtTheEdge(t, 200)
}

// readAtTheEdge reads a result where there is ever more memory left for it. Each time all
// rows come, or an error.
func readAtTheEdge(t *testing.T, sizes int) {
	t.Helper()
	outcomes := map[string]int{}
	all := make(chan string)
	var next atomic.Int64
	for range runtime.NumCPU() { // each in a process of its own
		go func() {
			for i := next.Add(1) - 1; i < int64(sizes); i = next.Add(1) - 1 {
				all <- readInside(t, int(i)*(64<<20)/sizes)
			}
		}()
	}
	for range sizes {
		outcomes[<-all]++
	}
	t.Logf("of %d sizes: %v", sizes, outcomes)
	for outcome, n := range outcomes {
		if outcome != "all" && outcome != "died" && outcome != string(datasets.ErrMemory) {
			t.Errorf("%d times: %s", n, outcome)
		}
	}
	if outcomes["all"] == 0 || outcomes["all"] == sizes {
		t.Errorf("the edge was not found: %v", outcomes)
	}
}

// readInside starts a process that reads with so much room, and returns how that ended.
func readInside(t *testing.T, room int) (outcome string) {
	t.Helper()
	inside := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAllRowsOrAnError$")
	inside.Env = append(os.Environ(), fmt.Sprintf("%s=%d", roomVariable, room))
	said, err := inside.Output()
	_, outcome, ok := strings.Cut(string(said), "outcome: ")
	if !ok && err != nil {
		return "died"
	}
	return strings.TrimSpace(outcome)
}

// readWithin takes all memory but room away between a query and its rows, and ends the
// process.
func readWithin(room string) {
	const rows = 7_000
	outcome := func() string {
		e := &engine{memory: 1 << 30}
		if _, err := e.open(); err != nil {
			return err.Error()
		}
		if err := e.take(); err != nil {
			return err.Error()
		}
		statement, err := e.prepareSelect(context.Background(), e.db, "SELECT "+strings.Repeat("i::VARCHAR || repeat('x', 20), ", 100)+fmt.Sprintf("i FROM range(%d) t(i)", rows))
		if err != nil {
			return err.Error()
		}
		found, err := statement.QueryContext(context.Background(), nil)
		if err != nil {
			return err.Error()
		}
		columns, err := columnsOf(statement, found)
		if err != nil {
			return err.Error()
		}
		for range 4 { // what Go needs for the rows is there already
			runtime.KeepAlive(make([]byte, 64<<20))
		}
		runtime.GC()
		var more, pages uint64
		_, _ = fmt.Sscan(room, &more)
		statm, _ := os.ReadFile("/proc/self/statm")
		_, _ = fmt.Sscan(string(statm), &pages)
		limit := pages*uint64(os.Getpagesize()) + more
		if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return err.Error()
		}
		answer := &datasets.Rows{}
		err = collect(answer, found, columns, 10)
		if known, ok := errors.AsType[*datasets.Error](err); ok {
			return string(known.Type)
		}
		switch {
		case err != nil:
			return string(classify(err).Type)
		case answer.TotalRows != rows:
			return fmt.Sprintf("%d of %d rows, and no error", answer.TotalRows, rows)
		}
		return "all"
	}()
	fmt.Println("outcome: " + outcome)
	os.Exit(0) //nolint:revive // without what else tests print
}
