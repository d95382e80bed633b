package corpus

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// SentenceMarks end a sentence whatever follows: those of scripts without capitals.
	SentenceMarks = "。！？｡।॥؟۔։።፧།၊။។៕"
	// ClosingMarks may stand after the end of a sentence.
	ClosingMarks = "\"')]}*_”’»›」』）》"
)

// EndsSentence reports whether a sentence ends with a word, before white space and what is next:
// the word ends with a full stop, an exclamation or a question mark, is no initial and no
// abbreviation, and what follows may begin a sentence.
func EndsSentence(word, next string) bool {
	word = strings.TrimRight(word, ClosingMarks)
	last, _ := utf8.DecodeLastRuneInString(word)
	if strings.ContainsRune(SentenceMarks, last) {
		return true
	}
	if !strings.ContainsRune(".!?…", last) {
		return false
	}
	next = strings.TrimLeft(next, "\"'([{*_“‘«‹¿¡")
	r, _ := utf8.DecodeRuneInString(next)
	if unicode.IsLower(r) {
		return false
	}
	if !strings.HasSuffix(word, ".") {
		return true
	}
	word = strings.TrimLeft(strings.TrimSuffix(word, "."), "(\"'“‘[")
	if utf8.RuneCountInString(word) == 1 && isUpper(word) || strings.Contains(word, ".") && len(word) <= 5 {
		return false
	}
	return !abbreviations[strings.ToLower(word)]
}

func isUpper(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}

// abbreviations end with a full stop within a sentence, in the languages that have one.
var abbreviations = func() map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq("mr mrs ms dr prof st sr jr vs no nos vol fig figs eq cf al ca approx dept est gen gov hon inc ltd co corp lt col capt sgt rev sen rep pp ed eds etc e.g i.e " +
		"bzw z.b d.h u.a usw ggf vgl nr str abs art bd dt hr fr sra ud uds p.ej pág núm av dott sig ing mme mlle m") {
		all[word] = true
	}
	return all
}()
