package access

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa/internal/check"
)

// MinUsername is in characters.
const MinUsername = 3

// CheckUsername returns a kappa.CodeInvalid Error for a name that no account can have: it has
// 3 to 100 characters without control characters, no space at its ends, and letters of one
// script.
func CheckUsername(name string) error {
	var r check.Rules
	rule := check.Name(name, MaxUsername)
	switch {
	case rule != "":
	case utf8.RuneCountInString(name) < MinUsername:
		rule = "must have at least 3 characters"
	case strings.TrimSpace(name) != name:
		rule = "must not begin or end with a space"
	case mixesScripts(name):
		rule = "must be written in one script: letters of several look like another name"
	}
	r.Add("body", "username", rule)
	return r.Err()
}

// writtenTogether are the scripts that some languages are written in together, with Latin
// among them (UTS 39, Highly Restrictive).
var writtenTogether = [][]string{
	{"Latin", "Han", "Hiragana", "Katakana"},
	{"Latin", "Han", "Bopomofo"},
	{"Latin", "Han", "Hangul"},
}

// mixesScripts reports whether a name has letters of scripts that no language writes
// together, as a Cyrillic a among Latin letters.
func mixesScripts(name string) bool {
	found := map[string]bool{}
	for _, r := range name {
		if script := unicodeScript(r); script != "" {
			found[script] = true
		}
	}
	if len(found) < 2 {
		return false
	}
	return !slices.ContainsFunc(writtenTogether, func(together []string) bool {
		for script := range maps.Keys(found) {
			if !slices.Contains(together, script) {
				return false
			}
		}
		return true
	})
}

// unicodeScript returns the script of a character, "" for one that all use, as digits.
func unicodeScript(r rune) string {
	if r < utf8.RuneSelf {
		if unicode.IsLetter(r) {
			return "Latin"
		}
		return ""
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			if name == "Common" || name == "Inherited" {
				return ""
			}
			return name
		}
	}
	return ""
}
