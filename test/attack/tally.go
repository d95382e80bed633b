package main

import (
	"fmt"
	"sync"
)

const mostHoles = 40 // that are kept of a kind; the others are counted

// tally counts the tries of a kind, and keeps the holes. It may be used by many goroutines.
type tally struct {
	mu    sync.Mutex
	tried int
	more  int // holes that are not kept
	holes []string
}

// try counts a try.
func (t *tally) try() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tried++
}

// hole says that a try did not end as it must.
func (t *tally) hole(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.holes) == mostHoles {
		t.more++
		return
	}
	t.holes = append(t.holes, cut(fmt.Sprintf(format, args...), 400))
}

// count returns how many holes there are.
func (t *tally) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.holes) + t.more
}

// add counts what another one has.
func (t *tally) add(other *tally) {
	t.tried += other.tried
	t.more += other.count()
}

// cut returns the beginning of a text.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}
