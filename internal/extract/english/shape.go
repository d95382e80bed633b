package english

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// shapeOf distinguishes words, numbers and identifiers by their letters.
func shapeOf(s string) kind {
	letters, digits, marks := 0, 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == '_' || c == '/':
			marks++
		case c != '-' && c != '\'' && c != '.' && c != ',' && c != ':' && c != '&':
			letters++
		}
	}
	switch {
	case letters == 0:
		if digits == 0 {
			return kindJunk
		}
		return kindNumber
	case s[0] >= '0' && s[0] <= '9' && letters <= 3:
		return kindNumber // 4th, 10ms, 1990s
	case strings.Contains(s, "@"):
		return kindJunk
	case marks > 0 && !isUpper(s), camel(s), dotted(s):
		return kindCode
	}
	return kindWord
}

// camel reports an inner change of case as in pollInterval or LaneManager,
// which ordinary names do not have. "PostgreSQL" and "McDonald" are names.
func camel(s string) bool {
	humps := 0
	for i := 1; i+1 < len(s); i++ {
		if s[i-1] >= 'a' && s[i-1] <= 'z' && s[i] >= 'A' && s[i] <= 'Z' && s[i+1] >= 'a' && s[i+1] <= 'z' {
			humps++
		}
	}
	return humps > 0 && !strings.HasPrefix(s, "Mc") && !strings.HasPrefix(s, "Mac") && !strings.Contains(s, "-")
}

// dotted reports a qualified identifier such as main.py or kg_api.jobs, but
// neither "e.g." nor "U.S.A".
func dotted(s string) bool {
	i := strings.IndexByte(s, '.')
	return i > 1 && len(s)-i > 2 && (unicode.IsLetter(rune(s[i-1])) || s[i-1] == '_')
}

// isUpper reports whether s has an upper-case letter and no lower-case one.
func isUpper(s string) bool {
	upper := false
	for _, r := range s {
		if unicode.IsLower(r) {
			return false
		}
		upper = upper || unicode.IsUpper(r)
	}
	return upper
}

// isCapital reports whether s starts with an upper-case letter.
func isCapital(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}

// mixedCase reports a word with a capital after its first letter, as names and
// acronyms have: PostgreSQL, mRNA, NASA. Hyphenated words do not count.
func mixedCase(s string) bool {
	if strings.Contains(s, "-") {
		return false
	}
	for i := 1; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' {
			return true
		}
	}
	return false
}

// isAcronym reports a short word of capitals such as NASA, DNA, HTTP/2, mRNA or
// PCs.
func isAcronym(s string) bool {
	upper, lower := 0, 0
	for _, r := range strings.TrimSuffix(s, "s") {
		switch {
		case unicode.IsUpper(r):
			upper++
		case unicode.IsLower(r):
			lower++
		}
	}
	return upper >= 2 && lower <= 1 && len(s) <= 10
}

// unspacedScript reports a run of letters in a script that writes no spaces
// between words. Such a run is a sentence, not a word.
func unspacedScript(s string) bool {
	for _, r := range s {
		if r < 0x0E00 {
			continue
		}
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer) {
			return true
		}
	}
	return false
}

// codeName returns what a code span names: "f(x)" names f, "size=3" names size.
// It is empty when the span is a statement rather than a name.
func codeName(s string) string {
	if i := strings.IndexAny(s, "(="); i > 0 {
		if s = s[:i]; strings.Contains(s, " ") {
			return ""
		}
	}
	if len(s) < 2 || len(s) > maxWordBytes || strings.Count(s, " ") > 3 {
		return ""
	}
	letters := 0
	for _, r := range s {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r) || strings.ContainsRune("_-./: {}$@+#*", r):
		default:
			return ""
		}
	}
	if letters*2 < len(s) || letters < 2 {
		return ""
	}
	if isFlag(s) {
		return strings.TrimRight(s, ".:- ")
	}
	return strings.Trim(s, ".:- ")
}

// isFlag reports an option of a command, whose dashes are part of its name: the flag
// --job is no job.
func isFlag(s string) bool {
	name := strings.TrimLeft(s, "-")
	n := len(s) - len(name)
	return n > 0 && n < 3 && name != "" && unicode.IsLetter(rune(name[0]))
}
