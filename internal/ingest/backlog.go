package ingest

import (
	"sync"
	"time"
)

// backlog says when it is to be counted how many documents of a user wait for their
// analysis: not at each submission, for that would make a large batch slow. What this server
// knows is a second old at most, and what it took in itself since then is part of it; what
// other servers took in meanwhile is not.
type backlog struct {
	most int // documents of a user that may wait; 0 is any number

	mu    sync.Mutex
	known map[int]waiting
}

// waiting is how many documents of a user wait at most.
type waiting struct {
	documents int
	counted   time.Time
}

const backlogKnown = time.Second

func newBacklog(most int) *backlog { return &backlog{most: most, known: map[int]waiting{}} }

// take counts a submission of a user, and returns how many of the user's documents may wait,
// if the store is to count them; else 0.
func (b *backlog) take(user int) int {
	if b.most == 0 {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	w, ok := b.known[user]
	if !ok || time.Since(w.counted) > backlogKnown || w.documents >= b.most {
		return b.most
	}
	w.documents++
	b.known[user] = w
	return 0
}

// counted takes over what the store counted before a submission of a user.
func (b *backlog) counted(user, documents int) {
	const users = 10_000 // that are known at once
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.known) >= users {
		clear(b.known)
	}
	b.known[user] = waiting{documents + 1, time.Now()}
}
