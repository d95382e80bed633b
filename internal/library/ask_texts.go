package library

import (
	"sync/atomic"

	"github.com/kappagraph/kappa/internal/answers"
)

const (
	keptTexts = 512     // passages that are kept
	keptBytes = 4 << 10 // of a longer one as much would be kept as of many others
)

// texts keeps passages as they were read, since the questions to a library show some of them
// again and again. It has one place for each number, so that it does not grow, and is safe for
// concurrent use.
type texts [keptTexts]atomic.Pointer[answers.Passage]

// of returns a passage as it is read.
func (t *texts) of(id int32, text string, english bool) *answers.Passage {
	place := &t[uint32(id)%keptTexts]
	if p := place.Load(); p != nil && p.Is(text, english) {
		return p
	}
	p := answers.NewPassage(text, english)
	if len(text) <= keptBytes {
		place.Store(p)
	}
	return p
}
