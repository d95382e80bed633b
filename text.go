package kappa

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quote shows a value from outside in a message: escaped, and cut when long.
func quote(s string) string {
	const most = 60
	if len(s) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return strconv.Quote(s)
}

// checkName returns the rule that a name from outside breaks, or "". A name is
// 1 to most characters of valid UTF-8 without control characters.
func checkName(name string, most int) string {
	switch {
	case !utf8.ValidString(name):
		return "must be valid UTF-8"
	case strings.TrimSpace(name) == "":
		return "must not be empty"
	case utf8.RuneCountInString(name) > most:
		return "must have at most " + strconv.Itoa(most) + " characters, got " + strconv.Itoa(utf8.RuneCountInString(name))
	case strings.ContainsFunc(name, unprintable):
		return "must not contain control characters, got " + quote(name)
	}
	return ""
}

// unprintable reports characters that hide or reorder what a name shows.
func unprintable(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar ||
		unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)
}
