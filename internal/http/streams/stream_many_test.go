package streams

import (
	"bufio"
	"io"
	"net"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

// TestManyIdleStreams opens many streams on connections that nobody reads, so
// that nearly all the memory that comes in use is the server's, and stops the
// server (S12, S13, S14).
func TestManyIdleStreams(t *testing.T) {
	const clients, most = 2000, 40 << 10
	b := withHistory(2, work.StatusProcessing)
	cfg := testConfig(b)
	cfg.Limits.OfUser, cfg.Limits.spread = clients, 500*time.Millisecond
	s := newTestServer(t, cfg)
	addr, stop := apitest.Run(t, s.web)
	before := memoryInUse()
	goroutines := runtime.NumGoroutine()
	conns := make([]*net.TCPConn, clients)
	for i := range conns {
		conns[i] = rawStream(t, addr)
		defer conns[i].Close()
	}
	apitest.Eventually(t, "all streams are open", func() bool { return s.streams.count() == clients && idle(s) })
	each := (memoryInUse() - before) / clients
	t.Logf("a stream takes %d bytes and %.1f goroutines", each, float64(runtime.NumGoroutine()-goroutines)/clients)
	if each > most {
		t.Errorf("a stream takes %d bytes, more than %d", each, most)
	}

	started := time.Now()
	if err := stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(started); took > cfg.Limits.spread+15*time.Second {
		t.Errorf("the stop took %s", took)
	}
	checkReturns(t, conns)
	if n := b.openStreams() + s.streams.count(); n != 0 {
		t.Errorf("%d streams are left", n)
	}
}

// idle reports whether all streams have sent their first events.
func idle(s server) bool {
	runtime.Gosched()
	return s.counts.total("snapshot") == s.streams.count()
}

// memoryInUse returns what heap and stacks hold that is reachable.
func memoryInUse() int64 {
	runtime.GC()
	runtime.GC() // stacks shrink at the first, and what finalisers held goes at the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// checkReturns reads when the clients are asked to come back: never more than
// about 1,000 of them a second.
func checkReturns(t *testing.T, conns []*net.TCPConn) {
	t.Helper()
	perSecond := map[int]int{}
	for _, conn := range conns {
		text, err := io.ReadAll(bufio.NewReader(conn))
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(string(text), "retry: ")
		line, _, _ := strings.Cut(parts[len(parts)-1], "\n")
		ms, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil || len(parts) != 3 || ms < 1000 || ms > 1001+len(conns) {
			t.Fatalf("retry %q of %d, %v", line, len(parts)-1, err)
		}
		perSecond[ms/1000]++
	}
	for second, n := range perSecond {
		if n > 1200 {
			t.Errorf("%d clients come back in second %d", n, second)
		}
	}
}
