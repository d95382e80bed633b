package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/kappagraph/kappa/internal/sandbox/frame"
)

// watchEvery is the time between two looks at the memory of a child that works.
const watchEvery = 20 * time.Millisecond

// watch looks at the memory that a process holds, and kills it when that is too much. The
// limit of the address space cannot do that: much of what a process reserves it never uses.
type watch struct {
	pid   int
	statm *os.File // nil where the memory of others cannot be seen

	mu   sync.Mutex
	over bool
}

func newWatch(pid int) *watch {
	w := &watch{pid: pid}
	w.statm, _ = os.Open("/proc/" + strconv.Itoa(pid) + "/statm") // without it there is no watch, which report says
	return w
}

// report says whether the memory is watched.
func (w *watch) report() error {
	if w.statm == nil {
		return fmt.Errorf("%s: the memory of other processes cannot be seen here", frame.MemoryWatch)
	}
	return nil
}

// start watches until the process has done its task.
func (w *watch) start(most uint64) (stop func()) {
	if w.statm == nil {
		return func() {}
	}
	done := make(chan struct{})
	var timer *time.Timer
	look := func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		select {
		case <-done:
			return
		default:
		}
		if w.resident() > most {
			w.over = true
			killGroup(w.pid)
			return
		}
		timer.Reset(watchEvery)
	}
	w.mu.Lock()
	timer = time.AfterFunc(watchEvery, look)
	w.mu.Unlock()
	return func() {
		w.mu.Lock()
		close(done)
		w.mu.Unlock()
		timer.Stop()
	}
}

// killed reports that the process was killed for its memory.
func (w *watch) killed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.over
}

// resident returns the bytes that the process holds, 0 when it is gone.
func (w *watch) resident() uint64 {
	var text [128]byte
	n, _ := w.statm.ReadAt(text[:], 0)
	fields := bytes.Fields(text[:n])
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseUint(string(fields[1]), 10, 64)
	return pages * uint64(os.Getpagesize())
}

func (w *watch) close() {
	if w.statm != nil {
		_ = w.statm.Close()
	}
}
