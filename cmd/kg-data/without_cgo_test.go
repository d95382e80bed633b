//go:build !cgo

package main

import "testing"

func TestWorkers(t *testing.T) {
	t.Skip("SKIPPED: there is no C compiler, or CGO_ENABLED is 0, so dataset workers were neither built nor tested")
}
