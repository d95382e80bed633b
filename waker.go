package kappa

// Waker wakes a loop that waits. Any number of calls of Wake before the loop
// waits again are one wake-up, and none of them is lost: the loop then runs once
// more, after the last of them.
type Waker struct{ c chan struct{} }

// NewWaker returns a Waker for one loop.
func NewWaker() Waker { return Waker{make(chan struct{}, 1)} }

// Wake wakes the loop. It returns at once and may be called by any goroutine.
func (w Waker) Wake() {
	select {
	case w.c <- struct{}{}:
	default: // it is woken already
	}
}

// C is what the loop waits for.
func (w Waker) C() <-chan struct{} { return w.c }
