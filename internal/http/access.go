package http

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	examineTimeout = 5 * time.Second // for one look at all that are connected
	examineAtOnce  = 8               // principals
)

// access tells whether rights were taken.
type access interface {
	// Epoch returns a number that grows whenever a right is taken from anybody.
	Epoch(ctx context.Context) (int64, error)
	// Reexamine returns CodeUnauthenticated or CodeForbidden when p's token would
	// be refused now, and another error when that cannot be known.
	Reexamine(ctx context.Context, p kappa.Principal) error
}

// accessWatch ends the streams whose right to go on was taken. It asks for one
// number, however many streams there are, and nothing while there are none.
type accessWatch struct {
	access  access
	streams *streams
	permit  func(kappa.Principal, permission) error
	every   time.Duration
	log     *slog.Logger

	epoch int64 // for which all streams were examined; 0 for none
}

// run watches until ctx ends.
func (w *accessWatch) run(ctx context.Context) {
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := w.runOnce(ctx); err != nil && ctx.Err() == nil {
			w.log.WarnContext(ctx, "access of streams not examined", "err", err)
		}
	}
}

// runOnce examines all streams when a right was taken since it last did so
// without failing. What fails ends no stream; it is done again next time.
func (w *accessWatch) runOnce(ctx context.Context) error {
	if w.streams.count() == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, examineTimeout)
	defer cancel()
	epoch, err := w.access.Epoch(ctx)
	if err != nil || epoch == w.epoch {
		return err
	}
	// The streams come after the number: one that was admitted before it grew is
	// among them.
	if err := w.examine(ctx, w.streams.byToken()); err != nil {
		return err
	}
	w.epoch = epoch
	return nil
}

// examine looks at each token once. It returns the first error that says
// nothing about a token.
func (w *accessWatch) examine(ctx context.Context, byToken map[string][]*openStream) error {
	var workers sync.WaitGroup
	var once sync.Once
	var failure error
	turns := make(chan struct{}, examineAtOnce)
	for _, group := range byToken {
		turns <- struct{}{}
		workers.Go(func() {
			defer func() { <-turns }()
			if err := w.examineToken(ctx, group); err != nil {
				once.Do(func() { failure = err })
			}
		})
	}
	workers.Wait()
	return failure
}

// examineToken ends the streams of one token that may not go on.
func (w *accessWatch) examineToken(ctx context.Context, group []*openStream) error {
	err := w.access.Reexamine(ctx, group[0].principal)
	if err != nil && !refused(err) {
		return err
	}
	for _, o := range group {
		if err != nil || !w.allowed(o) {
			o.revoke()
		}
	}
	return nil
}

func (w *accessWatch) allowed(o *openStream) bool {
	for _, demand := range o.demands {
		if w.permit(o.principal, demand) != nil {
			return false
		}
	}
	return true
}

// refused reports whether err says that somebody has no right, and not that
// this cannot be known.
func refused(err error) bool {
	code := kappa.ErrorCode(err)
	return code == kappa.CodeUnauthenticated || code == kappa.CodeForbidden
}
