package corpus

import (
	"strconv"
	"time"

	"github.com/kappagraph/kappa"
)

// MostPastPassages is how many passages of versions that went a question about the past may read.
const MostPastPassages = 100_000

// AsOf is a moment at which what is asked for stood; the zero value is now.
type AsOf struct {
	At    time.Time
	Epoch int64 // of the graph, in place of a time: as it left it
}

// IsZero reports whether a is now.
func (a AsOf) IsZero() bool { return a.At.IsZero() && a.Epoch == 0 }

// ParseAsOf reads an instant in RFC 3339, or the number of an epoch from 1 on; "" is now.
func ParseAsOf(text string) (AsOf, error) {
	if text == "" {
		return AsOf{}, nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
		return AsOf{Epoch: n}, nil
	}
	var t kappa.Time
	if t.UnmarshalText([]byte(text)) != nil {
		return AsOf{}, kappa.Invalid(kappa.FieldError{In: "body", Name: "as_of", Rule: "must be an instant in RFC 3339 (2026-01-31T08:00:00Z) or the number of an epoch"})
	}
	return AsOf{At: t.Time}, nil
}

// String returns what ParseAsOf reads; "" is now.
func (a AsOf) String() string {
	switch {
	case a.Epoch != 0:
		return strconv.FormatInt(a.Epoch, 10)
	case a.At.IsZero():
		return ""
	}
	return kappa.At(a.At).String()
}

// Past is what stood at a moment.
type Past struct {
	At        time.Time
	Documents map[int32]bool // by their numbers, those that stand still
	// Passages are those of versions that went. Each has a number below 0, which no other one has
	// in Past; so have their documents and chunks.
	Passages []ShownPassage
}
