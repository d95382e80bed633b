package notify

import (
	"context"
	"errors"
	"time"
)

// walLookEvery is how often the publication is looked at while the stream runs. A table
// that was taken out of it, and since PostgreSQL 18 a publication that is gone, leaves a
// stream that says nothing.
const walLookEvery = time.Minute

// whilePublished runs the stream until it ends, or events are published no more.
func (w *WAL) whilePublished(ctx context.Context, stream func(context.Context) error) error {
	streamCtx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		w.watch(streamCtx, stop)
	}()
	err := stream(streamCtx)
	stop(nil)
	<-watched
	if gone := context.Cause(streamCtx); ctx.Err() == nil && !errors.Is(gone, context.Canceled) {
		return gone
	}
	return err
}

// watch ends the stream by stop when events are published no more. A look that fails says
// nothing: the stream has a connection of its own, which tells whether there is a server.
func (w *WAL) watch(ctx context.Context, stop context.CancelCauseFunc) {
	tick := time.NewTicker(w.timing.look)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if published, err := w.published(ctx); err == nil && !published {
				stop(errWALPublication())
				return
			}
		}
	}
}

// published asks, by a connection of its own, whether new events are published.
func (w *WAL) published(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, walSetupWithin)
	defer cancel()
	conn, err := connectWAL(ctx, w.cfg.DSN, w.cfg.Validate, map[string]string{"application_name": walApplication + "-look"})
	if err != nil {
		return false, err
	}
	defer closeWAL(ctx, conn)
	results, err := conn.Exec(ctx, walPublished).ReadAll()
	if err != nil {
		return false, err
	}
	return len(results) == 1 && len(results[0].Rows) == 1 && string(results[0].Rows[0][0]) == "t", nil
}
