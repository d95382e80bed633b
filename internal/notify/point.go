package notify

import "context"

// The points at which the sources call their hooks.
const (
	PointBeforeListen = "before LISTEN" // connected, and not listening yet
	PointAfterListen  = "after LISTEN"  // listening, and not resynchronised yet
	PointAfterReceive = "after RECEIVE" // events came by the write-ahead log, and nobody was notified
)

// reach calls a hook, unless it is nil.
func reach(ctx context.Context, hook func(ctx context.Context, point string) error, point string) error {
	if hook == nil {
		return nil
	}
	return hook(ctx, point)
}
