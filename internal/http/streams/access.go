package streams

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

const (
	epochTimeout   = time.Second            // to ask whether rights were taken at all
	examineTimeout = 5 * time.Second        // to examine all that are connected
	examineAgain   = 500 * time.Millisecond // after one that failed
	examineAtOnce  = 8                      // principals
)

// access knows whether rights were taken.
type rights interface {
	// Epoch returns a number that grows whenever a right is taken from anybody.
	Epoch(ctx context.Context) (int64, error)
	// Reexamine returns CodeUnauthenticated or CodeForbidden when p's token would
	// be refused now, and another error when that cannot be known.
	Reexamine(ctx context.Context, p access.Principal) error
}

// accessWatch ends the streams whose right to go on was taken, and confirms the
// others; see openStream.mayShow. It asks for one number, however many streams
// there are, and nothing while there are none.
type accessWatch struct {
	access  rights
	streams *streams
	every   time.Duration
	log     *slog.Logger

	epoch  int64     // that was read last; 0 for none
	readAt time.Time // when that epoch was first known
}

// run watches until ctx ends.
func (w *accessWatch) run(ctx context.Context) {
	timer := time.NewTimer(w.every)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		next := time.Now().Add(w.every)
		if err := w.runOnce(ctx); err != nil && ctx.Err() == nil {
			w.log.WarnContext(ctx, "access of streams not examined", "err", err)
			next = time.Now().Add(min(w.every, examineAgain))
		}
		timer.Reset(time.Until(next))
	}
}

// runOnce examines the streams from which a right may have been taken since they
// were last examined or authenticated, and confirms the others. What fails ends no
// stream, and confirms none; it is done again soon, and what was done is not.
func (w *accessWatch) runOnce(ctx context.Context) error {
	if w.streams.count() == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, examineTimeout)
	defer cancel()
	began := time.Now()
	epoch, err := w.readEpoch(ctx)
	if err != nil {
		return err
	}
	if epoch != w.epoch {
		w.epoch, w.readAt = epoch, time.Now()
	}
	return w.examine(ctx, w.confirm(&began))
}

func (w *accessWatch) readEpoch(ctx context.Context) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, epochTimeout)
	defer cancel()
	return w.access.Epoch(ctx)
}

// confirm confirms the streams from which no right was taken: they were examined
// for this epoch, or authenticated after it was known, and none of their rights has ended
// by itself since. It returns the others by
// their right.
func (w *accessWatch) confirm(at *time.Time) map[right][]*openStream {
	others := map[right][]*openStream{}
	w.streams.each(func(o *openStream) {
		if !o.hasEnded(*at) && (o.examined == w.epoch || !o.since.Before(w.readAt)) {
			o.confirm(at)
			return
		}
		others[o.right()] = append(others[o.right()], o)
	})
	return others
}

// examine asks about each right once. It returns the first error that says nothing
// about one.
func (w *accessWatch) examine(ctx context.Context, byRight map[right][]*openStream) error {
	var workers sync.WaitGroup
	var once sync.Once
	var failure error
	turns := make(chan struct{}, examineAtOnce)
	for _, group := range byRight {
		turns <- struct{}{}
		workers.Go(func() {
			defer func() { <-turns }()
			if err := w.examineRight(ctx, group); err != nil {
				once.Do(func() { failure = err })
			}
		})
	}
	workers.Wait()
	return failure
}

// examineRight ends the streams of one right that may not go on, and confirms the
// others.
func (w *accessWatch) examineRight(ctx context.Context, group []*openStream) error {
	at := time.Now()
	err := w.access.Reexamine(ctx, group[0].principal)
	if err != nil && !refused(err) {
		return err
	}
	for _, o := range group {
		if err != nil || !w.allowed(o) {
			o.revoke()
			continue
		}
		o.examined = w.epoch
		o.confirm(&at)
	}
	return nil
}

func (w *accessWatch) allowed(o *openStream) bool {
	for _, demand := range o.demands {
		if o.principal.PermitSome(demand) != nil {
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
