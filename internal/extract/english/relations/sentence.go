package relations

// Word is a token of a sentence.
type Word struct {
	Text string // as it stands
	Low  string // in lower case
	Tag  uint8  // its part of speech, below 64; any numbering, if it is always the same
	Stem string // of Low
	Verb bool
	Noun bool
}

// Mention is a name in a sentence: the words [First, Last).
type Mention struct {
	First, Last int
	Thing       int // what it names: what is the same in a text has the same number
	// Name is the words of what the mention stands for, when it is none of its own, as "he".
	Name []string
}

// Sentence is words and the mentions of names in them, in order and without overlap.
type Sentence struct {
	Words    []Word
	Mentions []Mention
	// Ruled are what rules read of pairs, by the places of their mentions, the first one smaller:
	// classes, see Annotated.
	Ruled map[[2]int]string
}

// Relation is what a sentence states of two of its mentions.
type Relation struct {
	From, To    int     // places in Mentions
	Type        string  // "" for a pair that is something to each other, nobody knows what
	Probability float64 // that somebody who reads the sentence finds it stated: 0 to 1
}

// farthest is how many words may stand between two mentions that are read as a pair.
const farthest = 30

// mostMentions bounds the mentions of a sentence that are read: lists of names state little.
const mostMentions = 24

// pairs calls f for each pair of mentions that is read.
func (s *Sentence) pairs(f func(a, b int)) {
	for a := range min(len(s.Mentions), mostMentions) {
		for b := a + 1; b < min(len(s.Mentions), mostMentions) && s.Mentions[b].First-s.Mentions[a].Last <= farthest; b++ {
			f(a, b)
		}
	}
}

// nameOf returns the words that a mention names something with.
func (s *Sentence) nameOf(m Mention) []string {
	if m.Name != nil {
		return m.Name
	}
	out := make([]string, 0, m.Last-m.First)
	for _, w := range s.Words[m.First:m.Last] {
		out = append(out, w.Text)
	}
	return out
}

// low returns the word at place i in lower case, and marks beyond the ends.
func (s *Sentence) low(i int) string {
	switch {
	case i < 0:
		return "<"
	case i >= len(s.Words):
		return ">"
	}
	return s.Words[i].Low
}
