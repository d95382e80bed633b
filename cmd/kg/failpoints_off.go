//go:build !failpoints

package main

import (
	"context"
	"errors"
	"log/slog"
)

// failpoints break the server at chosen places. Only a kg that was built with
// the tag failpoints has any.
type failpoints struct{}

// readFailpoints refuses to test nothing.
func readFailpoints(text string, _ int) (*failpoints, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // none are armed
	}
	return nil, errors.New("KG_FAILPOINTS: this kg has no failpoints; build it with -tags failpoints, or unset it")
}

// hook returns nil: nothing costs anything.
func (*failpoints) hook(*slog.Logger) func(context.Context, string) error { return nil }
