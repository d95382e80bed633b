package cli

import (
	"strconv"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// numberOf reads an argument that is the number of a thing, 1 or more. What is the subject of
// the sentence that refuses another one; see names the command that lists them, or is "".
func numberOf(argument, what, see string) (int, error) {
	n, err := strconv.Atoi(argument)
	if err == nil && n > 0 {
		return n, nil
	}
	if see != "" {
		see = "; see " + see
	}
	return 0, exit.Usage("%s is a number, got %q%s", what, argument, see)
}

// before returns the instant that was so long ago, and nil for zero, which was not given.
func before(ago time.Duration) (*kappa.Time, error) {
	switch {
	case ago < 0:
		return nil, exit.Usage("--since must not be negative, got %s", ago)
	case ago == 0:
		return nil, nil //nolint:nilnil // an instant that was not given
	default:
		return new(kappa.At(time.Now().Add(-ago))), nil
	}
}
