package kappa_test

import (
	"testing"

	"github.com/kappagraph/kappa"
)

func TestWaker(t *testing.T) {
	t.Parallel()
	woken := func(w kappa.Waker) bool {
		select {
		case <-w.C():
			return true
		default:
			return false
		}
	}
	w := kappa.NewWaker()
	if woken(w) {
		t.Error("nobody has called Wake, and the loop is woken")
	}
	w.Wake()
	w.Wake() // must not block
	if !woken(w) {
		t.Error("a wake-up before the loop waits is lost")
	}
	if woken(w) {
		t.Error("two calls before the loop waits are two wake-ups, want one")
	}
	w.Wake()
	if !woken(w) {
		t.Error("a wake-up after the loop has run is lost")
	}
}
