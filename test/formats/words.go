package main

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// wordsOf returns the words of a text, in small letters. Letters and digits are words of their own
// ("3δ" and "utf8" are two), because programs differ in what they set between them; what shows where
// a line may break is no part of a word, and a mark without a letter below it is none.
func wordsOf(text string) []string {
	text = strings.ToLower(norm.NFKC.String(mayBreak.Replace(text)))
	var words []string
	begin, last := -1, noWord
	for i, r := range text {
		class := classOf(r, last)
		if class != last {
			if begin >= 0 {
				words = append(words, text[begin:i])
			}
			begin = -1
			if class != noWord {
				begin = i
			}
		}
		last = class
	}
	if begin >= 0 {
		words = append(words, text[begin:])
	}
	return words
}

// mayBreak are the characters of which a line may break.
var mayBreak = strings.NewReplacer("\u00AD", "", "\u200B", "", "\u2060", "", "\uFEFF", "")

// The classes of characters, whose borders are those of words.
const (
	noWord = iota
	letters
	digits
)

// classOf returns the class of a character that stands behind one of the class last.
func classOf(r rune, last int) int {
	switch {
	case unicode.IsLetter(r):
		return letters
	case unicode.IsDigit(r):
		return digits
	case unicode.IsMark(r):
		return last
	}
	return noWord
}

func joined(text string) string { return strings.Join(wordsOf(text), " ") }

// agreement is how far what was read agrees with what a trusted program reads.
type agreement struct {
	recall    float64 // of the words of the trusted program, those that were read
	precision float64 // of the words that were read, those that the trusted program has
	order     float64 // of the words that both have once, those that are in the same order
}

func agree(read, trusted []string) agreement {
	count := map[string]int{}
	for _, w := range read {
		count[w]++
	}
	both := 0
	for _, w := range trusted {
		if count[w] > 0 {
			count[w]--
			both++
		}
	}
	a := agreement{recall: 1, precision: 1, order: inOrder(read, trusted)}
	if len(trusted) > 0 {
		a.recall = float64(both) / float64(len(trusted))
	}
	if len(read) > 0 {
		a.precision = float64(both) / float64(len(read))
	}
	return a
}

// lettersTogether returns the words of a trusted program, of which it wrote some letter by letter
// ("purpos e s"), with those put together that were read as one: most of the parts have one letter.
func lettersTogether(read, trusted []string) []string {
	const longest = 24 // parts of a word
	extra := map[string]bool{}
	for _, w := range missing(trusted, read) {
		extra[w] = true
	}
	var words []string
	for i := 0; i < len(trusted); i++ {
		word, single, n := "", 0, 0
		for k := i; k < min(len(trusted), i+longest); k++ {
			word += trusted[k]
			if utf8.RuneCountInString(trusted[k]) == 1 {
				single++
			}
			if parts := k - i + 1; parts > 1 && 2*single > parts && extra[word] {
				n = parts
			}
		}
		if n > 0 {
			words = append(words, strings.Join(trusted[i:i+n], ""))
			i += n - 1
			continue
		}
		words = append(words, trusted[i])
	}
	return words
}

// inOrder returns which part of the words that stand once in both texts are in the longest sequence
// of the same order.
func inOrder(read, trusted []string) float64 {
	return orderAt(once(read), trusted)
}

// orderAt is inOrder of a text whose words that stand once are at these places.
func orderAt(at map[string]int, trusted []string) float64 {
	var places []int
	for w, i := range once(trusted) {
		if j, ok := at[w]; ok {
			places = append(places, i, j)
		}
	}
	type pair struct{ trusted, read int }
	pairs := make([]pair, 0, len(places)/2)
	for i := 0; i < len(places); i += 2 {
		pairs = append(pairs, pair{places[i], places[i+1]})
	}
	if len(pairs) == 0 {
		return 1
	}
	slices.SortFunc(pairs, func(a, b pair) int { return a.trusted - b.trusted })
	var tails []int // the smallest end of a rising sequence, by its length
	for _, p := range pairs {
		i, _ := slices.BinarySearch(tails, p.read)
		if i == len(tails) {
			tails = append(tails, p.read)
		} else {
			tails[i] = p.read
		}
	}
	return float64(len(tails)) / float64(len(pairs))
}

// once returns where the words are that a text has once.
func once(words []string) map[string]int {
	at := map[string]int{}
	for i, w := range words {
		if _, seen := at[w]; seen {
			at[w] = -1
		} else {
			at[w] = i
		}
	}
	for w, i := range at {
		if i < 0 {
			delete(at, w)
		}
	}
	return at
}

// missing returns the words of the trusted program that were not read, in its order. Of a word that
// it has more often than was read, the last ones count as missing.
func missing(read, trusted []string) []string {
	count := map[string]int{}
	for _, w := range read {
		count[w]++
	}
	var list []string
	for _, w := range trusted {
		if count[w] > 0 {
			count[w]--
		} else {
			list = append(list, w)
		}
	}
	return list
}
