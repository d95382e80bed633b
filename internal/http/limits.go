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
	uploadPace     = 64 << 10 // bytes a second; a slower upload of a large document is cut
	lingerTime     = 5 * time.Second
	lingerBytes    = 1 << 30
	maxBearerBytes = 4096
	copies         = 3 // of a document while its buffer grows or it is decoded
)

// budget bounds the memory of documents that are being uploaded at the same
// time.
type budget struct {
	mu          sync.Mutex
	total, free int64
}

func newBudget(bytes int64) *budget { return &budget{total: bytes, free: bytes} }

// take reserves n bytes, or all there are, until giveBack is called, or returns
// a CodeUnavailable Error when they are not free. It never waits.
func (b *budget) take(n int64) (giveBack func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n = min(n, b.total)
	if n > b.free {
		return nil, &kappa.Error{
			Code: kappa.CodeUnavailable, Message: "Too many documents are being uploaded; try again in a few seconds",
			RetryAfter: 2 * time.Second,
		}
	}
	b.free -= n
	return sync.OnceFunc(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.free += n
	}), nil
}
