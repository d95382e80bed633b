package lanes

import (
	"context"
	"time"
)

// every calls do at once, and then after each interval, until ctx ends. It returns
// nil.
func every(ctx context.Context, interval time.Duration, do func()) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		do()
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
