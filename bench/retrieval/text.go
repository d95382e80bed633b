package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// text makes passages and questions: the same ones each time.
type text struct {
	real []string // the words of a text, or none
	zipf *rand.Zipf
	draw *rand.Rand
}

const (
	vocabulary   = 1_000_000
	passageWords = 89
	// newWords is how often, one word in so many, a real text has a word that it did not
	// have before: its own vocabulary would be too small for a million passages.
	newWords = 25
)

// functionWords are the most frequent words.
var functionWords = strings.Fields(`the of and in to a is was for as by that with on are from at it were an be his which or
	this had has not its have but their also one he been they who more other than two such all these when first there during into some after`)

// newText returns the text that is drawn from the words of a file, and without one from words
// that are made up: as frequent as those of English, with endings that a stemmer takes off.
func newText(file string) (*text, error) {
	draw := rand.New(rand.NewPCG(1, 2))
	t := &text{draw: draw, zipf: rand.NewZipf(draw, 1.05, 1, vocabulary-1)}
	if file != "" {
		p, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if t.real = strings.Fields(string(p)); len(t.real) < 1000 {
			return nil, fmt.Errorf("%s has %d words, and a thousand are too few", file, len(t.real))
		}
	}
	return t, nil
}

// word draws a word.
func (t *text) word() string {
	if len(t.real) > 0 && t.draw.IntN(newWords) > 0 {
		return t.real[t.draw.IntN(len(t.real))]
	}
	rank := int(t.zipf.Uint64())
	if rank < len(functionWords) {
		return functionWords[rank]
	}
	return madeUp(rank)
}

// madeUp returns the word of a rank: two or more syllables, which three words have in common,
// and an ending.
func madeUp(rank int) string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	endings := [...]string{"", "s", "ed", "ing", "er", "", "al", "ly"}
	ending := endings[rank%len(endings)]
	var b strings.Builder
	for left, syllables := rank/3*7919%vocabulary, 0; left > 0 || syllables < 2; syllables++ {
		b.WriteByte(consonants[left%len(consonants)])
		left /= len(consonants)
		b.WriteByte(vowels[left%len(vowels)])
		left /= len(vowels)
	}
	return b.String() + ending
}

// passage draws a passage of 45 to 133 words in sentences.
func (t *text) passage() string {
	var b strings.Builder
	n := passageWords/2 + 1 + t.draw.IntN(passageWords)
	for i := range n {
		switch {
		case i == 0:
		case i%18 == 0:
			b.WriteString(". ")
		default:
			b.WriteByte(' ')
		}
		b.WriteString(t.word())
	}
	return b.String()
}

// question draws the words of a question from a passage: five of its own, and as many that hold
// a sentence together.
func (t *text) question(passage string) string {
	all := strings.Fields(passage)
	asked := []string{"what", "is", "the", "of"}
	for tries := 0; len(asked) < 9 && tries < 100; tries++ {
		if w := all[t.draw.IntN(len(all))]; !words.Function(strings.ToLower(w)) {
			asked = append(asked, strings.Trim(w, ".,"))
		}
	}
	return strings.Join(asked, " ")
}
