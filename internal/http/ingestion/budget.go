package ingestion

import (
	"runtime/debug"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
)

// budget bounds the memory of documents that are being uploaded at the same
// time.
type budget struct {
	mu          sync.Mutex
	total, free int64
}

func newBudget(bytes int64) *budget { return &budget{total: bytes, free: bytes} }

// holding is what one upload has reserved of a budget. It is of one goroutine.
type holding struct {
	budget *budget
	bytes  int64
}

// reserve reserves n bytes more, until release is called, or returns a
// CodeUnavailable Error when they are not free. It never waits. A document that is
// larger than the whole budget may have all of it.
func (h *holding) reserve(n int64) error {
	b := h.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	n = min(n, b.total-h.bytes)
	if n > b.free {
		return &kappa.Error{
			Code: kappa.CodeUnavailable, Message: "Too many documents are being uploaded; try again in a few seconds",
			RetryAfter: 2 * time.Second,
		}
	}
	b.free -= n
	h.bytes += n
	return nil
}

// largeUpload is from which size on the memory of an upload is given back at once, rather
// than when as much again was allocated.
const largeUpload = 8 << 20

// release gives back what was reserved.
func (h *holding) release() {
	if h.bytes >= largeUpload {
		defer debug.FreeOSMemory()
	}
	h.budget.mu.Lock()
	defer h.budget.mu.Unlock()
	h.budget.free += h.bytes
	h.bytes = 0
}
