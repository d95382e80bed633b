package pgembed

import (
	"errors"
	"fmt"
	"testing"
)

func TestHeldByOrphans(t *testing.T) {
	const log = "FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use"
	for text, want := range map[string]bool{log: true, "FATAL:  out of memory": false} {
		err := fmt.Errorf("postgres ended while it started: %w", &exitError{program: "postgres", err: errors.New("exit status 1"), log: text})
		if got := heldByOrphans(err); got != want {
			t.Errorf("%q: held %v, want %v", text, got, want)
		}
	}
	if heldByOrphans(errors.New(log)) {
		t.Error("an error of another kind is taken for it")
	}
}
