package english

import "strings"

// signedName reports a name of one capital and signs: C++, C#, F#.
func signedName(s string) bool {
	return len(s) >= 2 && len(s) <= 3 && s[0] >= 'A' && s[0] <= 'Z' && strings.Trim(s[1:], "+#") == ""
}

// dottedName returns the length of the name at the start of s that begins with a dot and goes
// on in capitals, as .NET, or 0.
func dottedName(s string) int {
	if s == "" || s[0] != '.' {
		return 0
	}
	n := 1
	for n < len(s) && s[n] >= 'A' && s[n] <= 'Z' {
		n++
	}
	if n < 3 || wordEnd(s[1:]) != n-1 {
		return 0
	}
	return n
}

// namesLanguages reports whether a text writes of C++ or C#: a C of its own is a language
// beside them.
func namesLanguages(text string) bool {
	return strings.Contains(text, "C++") || strings.Contains(text, "C#")
}

// initials reports a word in capitals without a vowel, as HTTPS: its S is no plural.
func initials(s string) bool { return isUpper(s) && !strings.ContainsAny(s, "AEIOUY") }
