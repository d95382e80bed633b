//go:build !linux

package main

import (
	"errors"
	"time"
)

// cpuTime is known on Linux only.
func cpuTime(string) (time.Duration, error) {
	return 0, errors.New("the processor time of PostgreSQL is read on Linux only")
}
