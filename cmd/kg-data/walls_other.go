//go:build cgo && !linux

package main

import (
	"errors"

	"github.com/kappagraph/kappa/internal/dataset/frame"
)

func (w walls) build() (frame.Hello, error) {
	return frame.Hello{}, errors.New("dataset workers run on Linux only: other systems cannot limit the memory of a process as it is needed")
}

func resident() int64 { return 0 }
