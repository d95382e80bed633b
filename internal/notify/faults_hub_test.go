package notify

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kappagraph/kappa/work"
)

// hangingTable does not answer while it hangs.
type hangingTable struct {
	*table
	hangs atomic.Bool
}

// EventSeqs implements events.
func (h *hangingTable) EventSeqs(ctx context.Context, ids []string) (map[string]int64, error) {
	if h.hangs.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return h.table.EventSeqs(ctx, ids)
}

// TestHubAfterHang has a table that does not answer for a while: what was
// committed then is delivered as soon as it does, not after many times as long.
func TestHubAfterHang(t *testing.T) {
	withHub(t, "polls again soon after a poll that took long", func(t *testing.T, hub *Hub, tab *table) {
		hanging := &hangingTable{table: tab}
		hub.store = hanging
		sub := subscribe(t, hub, "job")
		hanging.hangs.Store(true)
		hub.Resync()
		time.Sleep(readTimeout - time.Millisecond)
		hanging.hangs.Store(false)
		tab.add("job", work.EventCompleted)
		time.Sleep(2 * retryMost)
		wantSeqs(t, take(sub).Events, 1)
	}, "job")
}
