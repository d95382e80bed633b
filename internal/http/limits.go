package http

import (
	"sync"
	"time"

	"github.com/kappagraph/kappa"
)

// The limits of a request's body.
const (
	maxJSONBytes   = 1 << 20
	maxFieldBytes  = 64 << 10 // one field of a form
	maxFormParts   = 64
	formOverhead   = 1 << 20  // fields and boundaries around a document
	largePace      = 64 << 10 // bytes a second: the time for the largest document
	lingerTime     = 5 * time.Second
	lingerBytes    = 1 << 30
	maxBearerBytes = 4096
	copies         = 3        // of a document in a URL-encoded form, while it is decoded
	firstBuffer    = 64 << 10 // bytes of a buffer that grows as a document arrives
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

// release gives back what was reserved.
func (h *holding) release() {
	h.budget.mu.Lock()
	defer h.budget.mu.Unlock()
	h.budget.free += h.bytes
	h.bytes = 0
}
