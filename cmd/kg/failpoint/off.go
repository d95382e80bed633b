//go:build !failpoints

package failpoint

import (
	"context"
	"errors"
	"log/slog"
)

// Set is failpoints, which break the server at chosen places. Only a kg that was built with
// the tag failpoints has any.
type Set struct{}

// Read refuses to test nothing.
func Read(text string, _ int) (*Set, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // none are armed
	}
	return nil, errors.New("KG_FAILPOINTS: this kg has no failpoints; build it with -tags failpoints, or unset it")
}

// Hook returns nil: nothing costs anything.
func (*Set) Hook(*slog.Logger) func(context.Context, string) error { return nil }
