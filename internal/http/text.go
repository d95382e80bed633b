package http

import (
	"errors"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
)

// printable shows a value from outside in a sentence: without control
// characters, and cut when it is long.
func printable(s string) string {
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

// storable reports whether a value from outside can be looked up at all.
func storable(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar })
}

// flag is a boolean of a query or a form. It accepts more words than JSON does.
type flag struct{ on bool }

// UnmarshalText reads true, 1, yes, on, false, 0, no or off in any case.
func (f *flag) UnmarshalText(text []byte) error {
	switch strings.ToLower(string(text)) {
	case "true", "1", "yes", "on":
		f.on = true
	case "false", "0", "no", "off":
		f.on = false
	default:
		return errors.New("must be true or false")
	}
	return nil
}

// Schema documents a flag as the boolean that it is.
func (flag) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeBoolean} }

// or returns *v, or the default when v is nil.
func or[T any](v *T, def T) T {
	if v == nil {
		return def
	}
	return *v
}
