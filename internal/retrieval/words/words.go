// Package words cuts text into the words by which it is found.
package words

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Word is one word of a text.
type Word struct {
	Text       string // folded
	Stem       string // Porter2 in English; else it is Text
	Start, End int    // bytes of the text that it was cut from
}

// Text is a text that has been cut.
type Text struct {
	Words     []Word
	Sentences []int // the index of the first word of each sentence
}

// Cut cuts a text into words.
func Cut(text string, _ bool) Text {
	var out Text
	start := -1
	for i, r := range text + " " {
		switch letter := unicode.IsLetter(r) || unicode.IsDigit(r); {
		case letter && start < 0:
			start = i
		case !letter && start >= 0:
			word := strings.ToLower(text[start:i])
			out.Words = append(out.Words, Word{Text: word, Stem: word, Start: start, End: i})
			start = -1
		}
	}
	if len(out.Words) > 0 {
		out.Sentences = []int{0}
	}
	return out
}

// Prefix returns the first five letters of a folded word.
func Prefix(text string) string {
	count := 0
	for i := range text {
		if count == 5 {
			return text[:i]
		}
		count++
	}
	return text
}

// Grams yields the runs of four letters inside a folded word, or all of it where it has no more.
func Grams(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		runes := []rune(text)
		for i := 0; i == 0 || i+4 <= len(runes); i++ {
			if !yield(string(runes[i:min(i+4, len(runes))])) {
				return
			}
		}
	}
}

// Function reports whether a folded word is one of the English words that say nothing of the subject.
func Function(text string) bool {
	return utf8.RuneCountInString(text) <= 3 && strings.Contains(" a an and are as at be by for in is it of on or the to was ", " "+text+" ")
}
