package ingest

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	// largeBytes is from which size on the memory of a document is given back at once,
	// rather than when as much again was allocated.
	largeBytes = 8 << 20
	// tightPercent is how much garbage there may be while a large document is read, of what
	// is in use.
	tightPercent = 25
)

// memory has the process hold little more than the large documents that are being read.
// Several go back to the same when the last of their documents is done.
type memory struct {
	usual int // percent of garbage otherwise

	mu    sync.Mutex
	large int // documents that are being read
}

// processMemory is the one memory of the process. The percentage of garbage is the
// process's: two who set it would undo each other.
var processMemory = sync.OnceValue(newMemory)

// newMemory returns a memory that goes back to what the process was started with.
func newMemory() *memory {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	usual := sample[0].Value.Uint64()
	if usual > math.MaxInt32 {
		return &memory{usual: -1} // it is off
	}
	return &memory{usual: int(usual)}
}

// hold says that a text of so many bytes is being read, until release is called.
func (m *memory) hold(size int) (release func()) {
	if size < largeBytes {
		return func() {}
	}
	m.add(1)
	giveBack(size) // what was garbage before counts in how much there may be
	return func() {
		m.add(-1)
		giveBack(size)
	}
}

func (m *memory) add(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch m.large += n; {
	case n > 0 && m.large == 1 && (m.usual < 0 || m.usual > tightPercent):
		debug.SetGCPercent(tightPercent)
	case m.large == 0:
		debug.SetGCPercent(m.usual)
	}
}

// giveBack gives the memory of a large document back that is not used any more.
func giveBack(size int) {
	if size >= largeBytes {
		debug.FreeOSMemory()
	}
}
