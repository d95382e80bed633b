package answers

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of a term that is defined or asked for.
const (
	mostTermWords = 6
	mostTermBytes = 80
)

// marks are what may stand around a term and are no part of it.
const marks = " \t\r\n\"'`*_“”„‘’«»()[]{}<>:;,.!?¿¡。，、：；？！「」『』《》"

// plainTerm returns a term as it is written, without an article, marks and white space around it.
// It is "" for what is too long to be one or has no letter.
func plainTerm(s string) string {
	s = strings.Trim(s, marks)
	if first, rest, ok := strings.Cut(s, " "); ok && article(strings.ToLower(first)) {
		s = strings.Trim(rest, marks)
	}
	if strings.Count(s, "(") > strings.Count(s, ")") { // "f(x)" has lost its end
		s, _, _ = strings.Cut(s, "(")
		s = strings.Trim(s, marks)
	}
	for _, elided := range []string{"l'", "l’", "L'", "L’"} {
		s = strings.TrimPrefix(s, elided)
	}
	if len(s) > mostTermBytes || !strings.ContainsFunc(s, unicode.IsLetter) || strings.ContainsAny(s, "\n\t|#") && !strings.HasSuffix(s, "#") || strings.Contains(s, "  ") {
		return ""
	}
	if len(strings.Fields(s)) > mostTermWords {
		return ""
	}
	return s
}

// capital reports whether a word begins with a capital letter.
func capital(w string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(w, "\"'`*_“„‘«(["))
	return unicode.IsUpper(r) || unicode.IsTitle(r)
}

// acronym reports whether a word is written in capitals: PDF, HTTP/2.
func acronym(w string) bool {
	upper := 0
	for _, r := range w {
		switch {
		case unicode.IsUpper(r):
			upper++
		case unicode.IsLower(r) && r != 's':
			return false
		}
	}
	return upper >= 2
}
