package answers

import (
	"strings"
	"unicode"

	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// DefinedKey returns a term as terms are compared: what a passage defines and what an asker types
// meet in it, whatever their case, accents, articles, hyphens and English plurals. It is "" for
// what has no letter or digit. Options of commands are compared as they are written.
func DefinedKey(term string) string {
	if option(term) {
		return term // -k and -K are two
	}
	if about, found := strings.CutPrefix(term, aboutMark); found {
		return About(DefinedKey(about))
	}
	var key strings.Builder
	last := ""
	tokens := strings.FieldsFunc(term, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("'’+#", r)
	})
	for i, token := range tokens {
		token = strings.Trim(token, "'’")
		if i == 0 && len(tokens) > 1 && article(strings.ToLower(token)) {
			continue
		}
		if last = foldWord(token); last == "" {
			continue
		}
		if key.Len() > 0 {
			key.WriteByte(' ')
		}
		key.WriteString(last)
	}
	all, whole := key.String(), last
	last = singular(last)
	switch { // of "caches" as of "cache" it is not known whether an "e" is there
	case len(last) > 4 && (strings.HasSuffix(last, "xe") || strings.HasSuffix(last, "che") || strings.HasSuffix(last, "she") || strings.HasSuffix(last, "sse")):
		last = strings.TrimSuffix(last, "e")
	case len(last) > 4 && strings.HasSuffix(last, "ie"):
		last = strings.TrimSuffix(last, "ie") + "y" // of cookies
	}
	return all[:len(all)-len(whole)] + last
}

// foldWord returns a word as it is compared.
func foldWord(w string) string {
	cut := words.Cut(w, false).Words
	if len(cut) > 0 && cut[0].Start == 0 && cut[0].End >= len(strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")) {
		return cut[0].Text
	}
	return strings.ToLower(w) // of a script that is cut by characters
}

// singular takes the plural off an English word, and off others what looks like one: both
// sides of a comparison lose the same.
func singular(w string) string {
	switch n := len(w); {
	case n < 4 || w[n-1] != 's', strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"), strings.HasSuffix(w, "is"), strings.HasSuffix(w, "ias"):
		return w
	case n > 4 && strings.HasSuffix(w, "ies"):
		return w[:n-3] + "y"
	case strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "sses"):
		return w[:n-2]
	default:
		return w[:n-1]
	}
}
