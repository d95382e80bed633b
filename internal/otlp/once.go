package otlp

import (
	"context"
	"log/slog"
	"sync/atomic"
)

// once says the first failure, and when there is none any more.
type once struct {
	log     *slog.Logger
	failing atomic.Bool
}

func (o *once) failed(err error) {
	if err != nil && o.failing.CompareAndSwap(false, true) {
		o.log.Warn("traces do not arrive at the collector and are dropped; jobs are not touched", "err", err)
	}
}

func (o *once) worked(ctx context.Context) {
	if o.failing.CompareAndSwap(true, false) {
		o.log.InfoContext(ctx, "traces arrive at the collector again")
	}
}
