package remote

import (
	"sync"
)

// tasks are what runs for a session.
type tasks struct {
	mu   sync.Mutex
	n    int
	over bool
	idle chan struct{} // closed when nothing runs; nil while nobody waits
}

func (t *tasks) run(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	t.n++
	go func() {
		defer t.done()
		f()
	}()
}

func (t *tasks) done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n--; t.n == 0 && t.idle != nil {
		close(t.idle)
		t.idle = nil
	}
}

// wait waits for what runs, and has nothing more begin.
func (t *tasks) wait() {
	for {
		t.mu.Lock()
		if t.n == 0 {
			t.over = true
			t.mu.Unlock()
			return
		}
		idle := make(chan struct{})
		t.idle = idle
		t.mu.Unlock()
		<-idle
	}
}
