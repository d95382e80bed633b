package corpus

import (
	"context"
	"time"
)

// PagesPerLimit is how many pages of a document are read within the limit for a document, with room
// to spare: each more of them have as long again.
const PagesPerLimit = 400

type progressKey struct{}

// WithReadingProgress has said called while a document is read, with how many of its pages are
// read. It must not take long.
func WithReadingProgress(ctx context.Context, said func(done, of int)) context.Context {
	return context.WithValue(ctx, progressKey{}, said)
}

// ReadingProgress returns what is called with how many pages are read.
func ReadingProgress(ctx context.Context) (said func(done, of int)) {
	if said, ok := ctx.Value(progressKey{}).(func(done, of int)); ok {
		return said
	}
	return func(int, int) {}
}

// WithReadingLimit ends a context with cause after limit, which begins anew with each PagesPerLimit
// pages that are read, up to most of them.
func WithReadingLimit(ctx context.Context, limit time.Duration, most int, cause error) (limited context.Context, cancel func()) {
	limited, end := context.WithCancelCause(ctx)
	timer := time.AfterFunc(limit, func() { end(cause) })
	said, next := ReadingProgress(ctx), PagesPerLimit
	limited = WithReadingProgress(limited, func(done, of int) {
		if done >= next && done <= most && timer.Stop() { // one that has fired has ended it
			timer.Reset(limit)
			next = done - done%PagesPerLimit + PagesPerLimit
		}
		said(done, of)
	})
	return limited, func() {
		timer.Stop()
		end(nil)
	}
}
