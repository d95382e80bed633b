package index

import "github.com/kappagraph/kappa/internal/retrieval/words"

// Numbered is a passage whose words are numbers of the part of the View that it is in. Passages
// share most of their words: whoever has met a number there before need not read its word again.
type Numbered struct {
	Words, Around []uint32
	Sentences     []int
	Part          int // the place in the View, from 0

	segment *segment
	view    *View // whose bytes the words are
}

// ReadNumbers reads the words of a candidate as numbers, into slices that are used again.
func (v *View) ReadNumbers(c *Candidate, into *Numbered) {
	defer keepAlive(v)
	n := numbers{words: into.Words, around: into.Around, sentences: into.Sentences}
	c.part.forwardOf(c.passage, &n)
	into.Words, into.Around, into.Sentences = n.words, n.around, n.sentences
	into.segment, into.view = c.part.segment, v
	for i, p := range v.parts {
		if p == c.part {
			into.Part = i
		}
	}
}

// Word returns a word of the part. Its strings are no copies: they may be read as long as the
// View is referred to.
func (n *Numbered) Word(number uint32) words.Word { return n.segment.word(number) }

// Vocabulary is how many words the part has. Their numbers are below it, and those that occur most
// have the lowest.
func (n *Numbered) Vocabulary() int { return len(n.segment.words) / wordSize }

// wordBits is how many bits a set of words has in which each word has one.
const wordBits = 256

// Bit returns which of 256 bits the text of a word has, in any part of any View. It is read once
// for each word of a part.
func (n *Numbered) Bit(number uint32) uint8 {
	at := &n.segment.bits[number]
	bit := at.Load()
	if bit == 0 {
		bit = wordBits | uint32(hash(n.segment.word(number).Text)%wordBits)
		at.Store(bit)
	}
	return uint8(bit) // without the mark
}
