package kappa

import (
	"fmt"
	"time"
)

// timeLayout is RFC 3339 in UTC with exactly three decimals and a final Z.
const timeLayout = "2006-01-02T15:04:05.000Z"

// Time is an instant as Kappa shows it: UTC, with milliseconds, ending in Z.
// Clients parse it without knowing the server's zone.
type Time struct{ time.Time }

// At returns t as a Time.
func At(t time.Time) Time { return Time{t} }

// AtPtr returns t as a *Time, nil when t is nil.
func AtPtr(t *time.Time) *Time {
	if t == nil {
		return nil
	}
	return &Time{*t}
}

// The first and the last instant that timeLayout, and every program that reads it, has
// a form for.
var (
	firstTime = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	lastTime  = time.Date(9999, 12, 31, 23, 59, 59, int(time.Second-time.Millisecond), time.UTC)
)

// String returns the form that JSON shows. An instant outside the years 1 to 9999, as
// a database may hold, is shown as the first or the last one of them: a list is not
// to fail for it.
func (t Time) String() string {
	at := t.UTC()
	if at.Before(firstTime) {
		at = firstTime
	}
	if at.After(lastTime) {
		at = lastTime
	}
	return at.Format(timeLayout)
}

// MarshalText encodes t with millisecond precision in UTC.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// MarshalJSON encodes t as a quoted string; without it the embedded time.Time
// would choose its own layout.
func (t Time) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

// UnmarshalText accepts any RFC 3339 instant.
func (t *Time) UnmarshalText(text []byte) error {
	parsed, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil {
		return fmt.Errorf("time %q is not RFC 3339: %w", text, err)
	}
	t.Time = parsed.UTC()
	return nil
}

// UnmarshalJSON accepts a quoted RFC 3339 instant; null leaves t unchanged.
func (t *Time) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return fmt.Errorf("time %s is not a JSON string", text)
	}
	return t.UnmarshalText(text[1 : len(text)-1])
}
