package corpus

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fewWords is how many words a question has that may be in any language when none of them says
// which, as names are.
const fewWords = 4

// EnglishQuestion reports whether a question is likelier in English than in another language.
// LanguageOf needs a paragraph to be sure of one; a question has ten words, of which those that ask
// and those with accents say as much as function words do.
func EnglishQuestion(text string) bool {
	counts := make([]int, len(languages))
	words, english, other := 0, 0, 0
	for word := range strings.FieldsFuncSeq(text, notLetter) {
		words++
		low := strings.ToLower(word)
		switch {
		case scriptOf(word) != "Latin", accented(word):
			other++
		case asksEnglish[low]:
			english++
		}
		if asksOther[low] {
			other++
		}
		for _, i := range functionWords[low] {
			counts[i]++
		}
	}
	english += counts[0]
	other += slices.Max(counts[1:])
	if english == 0 && other == 0 {
		return words <= fewWords
	}
	return english >= other
}

// accented reports a word in small letters that has one English does not write.
func accented(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return !unicode.IsUpper(first) && strings.IndexFunc(word, func(r rune) bool { return r > unicode.MaxASCII }) >= 0
}

// The words that ask in English, as far as they are no function words of LanguageOf, and in other
// languages of Latin script.
var (
	asksEnglish = wordSet("who why where does did is are many much name define explain describe")
	asksOther   = wordSet(`wer was wen wem wessen wann warum wieso weshalb wo wohin woher wie welche welcher welches welchen welchem wofür
		qué que quién quien quiénes cuál cuáles cuándo cuando dónde cómo cuánto cuánta cuántos cuántas
		qui quoi quel quelle quels quelles quand où comment pourquoi combien
		chi che cosa quale quali quando dove come perché quanto quanta quanti quante
		quem qual quais onde como quantos quantas
		wie wanneer waar waarom welk hoe hoeveel vem vad när var hvem hvad hvornår hvor hvorfor`)
)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}
