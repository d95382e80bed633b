package serve

import (
	"strings"
	"testing"
	"time"
)

// TestSpinner: lines of the log are whole, above the spinner, and nothing of it is left.
func TestSpinner(t *testing.T) {
	var screen strings.Builder
	s := &spinner{out: &screen, what: "starting", began: time.Now(), done: make(chan struct{})}
	s.draw()
	if _, err := s.Write([]byte("a line\n")); err != nil {
		t.Fatal(err)
	}
	s.draw()
	s.stop()
	s.draw()
	if _, err := s.Write([]byte("the last\n")); err != nil {
		t.Fatal(err)
	}
	const up = "\r\033[K"
	if want := up + "| starting, 0 s" + up + "a line\n" + up + "| starting, 0 s" + up + "the last\n"; screen.String() != want {
		t.Errorf("the screen got %q, want %q", screen.String(), want)
	}
	s.stop() // again does nothing
}

// TestSpinnerNeedsATerminal: a log in a file is nothing but the log.
func TestSpinnerNeedsATerminal(t *testing.T) {
	var file strings.Builder
	s := newSpinner(&file, "starting")
	defer s.stop()
	if s.done != nil {
		t.Error("a spinner turns in a file")
	}
	if _, err := s.Write([]byte("a line\n")); err != nil || file.String() != "a line\n" {
		t.Errorf("%q, %v", file.String(), err)
	}
}
