package ingest

import (
	"errors"

	"github.com/kappagraph/kappa"
)

const (
	// mostFirstFailures is how many chunks may fail before one is read: after that it is
	// not the chunks.
	mostFirstFailures = 3
	mostGapText       = 500 // characters of the reason of a gap
	mostGaps          = 1000
)

// chunkGap is a chunk that could not be read. Its text is stored all the same.
type chunkGap struct {
	Chunk int    `json:"chunk"`
	Start int    `json:"start_byte"`
	End   int    `json:"end_byte"`
	Error string `json:"error"`
}

// isGap reports whether a chunk fails with err whenever it is read, and others need not.
func isGap(err error) bool {
	if kappa.Retryable(err) || errors.Is(err, kappa.ErrCancelled) || errors.Is(err, kappa.ErrStale) {
		return false
	}
	if _, postponed := kappa.Postponed(err); postponed {
		return false
	}
	switch kappa.ErrorCode(err) {
	case kappa.CodeForbidden, kappa.CodeUnauthenticated, kappa.CodeNotFound, kappa.CodeNotImplemented:
		return false // the model is missing, or the key: all chunks would fail
	}
	return true
}

// gapOf returns what is said of a chunk that could not be read.
func gapOf(r reading) chunkGap {
	text := cleanText(r.failure.Error(), mostGapText)
	return chunkGap{Chunk: r.graph.Chunk.Number, Start: r.graph.Chunk.Bytes.Start, End: r.graph.Chunk.Bytes.End, Error: text}
}

// count counts a chunk that was stored. It returns an error when no chunk could be read so
// far, and this is the last one or enough have been tried.
func (a *attempt) count(r reading) error {
	if r.failure != nil && a.unreadable() {
		return r.failure
	}
	return nil
}

// unreadable reports whether no chunk could be read so far, by this attempt or the ones
// before it, and enough have been tried.
func (a *attempt) unreadable() bool { return a.stored.unreadable(a.total) }

// unreadable reports whether no chunk of so many could be read so far, and enough have been tried.
func (c checkpoint) unreadable(total int) bool {
	gaps := len(c.Gaps)
	return gaps > 0 && gaps == c.LastChunk && (gaps >= mostFirstFailures || gaps == total)
}

// goOn returns the error of a document that an attempt before has found to be unreadable,
// whose server ended before it could say so.
func (a *attempt) goOn() error {
	if !a.unreadable() {
		return nil
	}
	return kappa.Permanent(errors.New(a.stored.Gaps[len(a.stored.Gaps)-1].Error))
}
