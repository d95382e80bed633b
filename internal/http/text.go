package http

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
)

// Printable shows a value from outside in a sentence: without control
// characters, and cut when it is long.
func Printable(s string) string {
	const most = 120
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// Storable reports whether a value from outside can be looked up at all.
func Storable(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar })
}

// Flag is a boolean of a query or a form. It accepts more words than JSON does.
type Flag struct{ on, given bool }

// On reports whether it is true.
func (f Flag) On() bool { return f.on }

// Given returns it, or nil when it was not given.
func (f Flag) Given() *bool {
	if !f.given {
		return nil
	}
	return &f.on
}

// Unless reports whether it is true, or def when it was not given.
func (f Flag) Unless(def bool) bool { return f.on || def && !f.given }

// UnmarshalText reads true, 1, yes, on, false, 0, no or off in any case.
func (f *Flag) UnmarshalText(text []byte) error {
	switch strings.ToLower(string(text)) {
	case "true", "1", "yes", "on":
		f.on = true
	case "false", "0", "no", "off":
		f.on = false
	default:
		return errors.New("must be true or false")
	}
	f.given = true
	return nil
}

// Schema documents a Flag as the boolean that it is.
func (Flag) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeBoolean} }

// Or returns *v, or the default when v is nil.
func Or[T any](v *T, def T) T {
	if v == nil {
		return def
	}
	return *v
}

// NotNull returns a JSON value, nil for null: an optional member that is null
// counts as absent.
func NotNull(data json.RawMessage) json.RawMessage {
	if string(data) == "null" {
		return nil
	}
	return data
}
