//go:build !linux

package walls

import (
	"errors"
	"os"
)

// Build fails: other systems than Linux cannot limit the memory of a process as it is needed.
func Build(Config) (*Walls, error) {
	return nil, errors.New("child processes run on Linux only: other systems cannot limit the memory of a process as it is needed")
}

// Resident returns the bytes of memory that this process holds.
func (*Walls) Resident() int64 { return 0 }

// MoveStandard leaves the standard descriptors where they are.
func MoveStandard() (Standard, error) { return Standard{os.Stdin, os.Stdout, os.Stderr}, nil }

// Become fails, as Build does.
func Become(c Config, _, _ []string) error {
	_, err := Build(c)
	return err
}
