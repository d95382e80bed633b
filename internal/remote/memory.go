package remote

import (
	"context"
	"sync"
	"time"
)

// What large messages may take.
const (
	largeMessage = 1 << 20   // from here on the memory of a message is counted
	largeMemory  = 256 << 20 // of such messages, of all sockets together
	largeWait    = 10 * time.Second
	retryMemory  = 64 << 20 // of events that were answered and wait for the database
)

// memory counts the bytes of large messages.
type memory struct {
	mu   sync.Mutex
	free int64
	wait []chan struct{}
}

// take takes n bytes. It returns ctx's error when there is no room until then.
func (m *memory) take(ctx context.Context, n int64) error {
	for {
		m.mu.Lock()
		if m.free >= n {
			m.free -= n
			m.mu.Unlock()
			return nil
		}
		room := make(chan struct{})
		m.wait = append(m.wait, room)
		m.mu.Unlock()
		select {
		case <-room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (m *memory) give(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.free += n
	for _, room := range m.wait {
		close(room)
	}
	m.wait = nil
}

// tryTake takes n bytes if there is room for them now.
func (m *memory) tryTake(n int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.free < n {
		return false
	}
	m.free -= n
	return true
}
