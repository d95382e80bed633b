package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// corpus makes documents that read like prose and whose terms follow Zipf's
// law, so that new documents keep bringing in new concepts, ever fewer, beside
// those that are known. The same number gives the same document.
type prose struct {
	words int // in each document
	seed  uint64
	terms []string
	each  bool // the terms come one after the other, each once
}

const vocabulary = 20_000 // terms

// newCorpus makes a corpus of so many terms, which no other seed has.
func newCorpus(words int, seed uint64, terms int) *prose {
	c := &prose{words: words, seed: seed}
	r := rand.New(rand.NewPCG(seed, 1))
	for range terms {
		c.terms = append(c.terms, word(r)+" "+heads[r.IntN(len(heads))])
	}
	return c
}

var (
	onsets    = strings.Fields("b br c ch d dr f fl g gr h j k l m n p pl qu r s st t tr v w z")
	nuclei    = strings.Fields("a e i o u ai ea io ou")
	codas     = strings.Fields("l m n r s t rd nt st x ck")
	heads     = strings.Fields("engine process protocol sensor network valve enzyme river market theory signal buffer reactor membrane circuit archive policy turbine lattice grammar")
	sentences = []string{
		"The %s depends on the %s and uses a %s.",
		"A %s is a %s that contains the %s.",
		"Engineers in the north compared the %s with the %s before the %s failed.",
		"The %s such as the %s and the %s was described early.",
		"Without a %s, the %s produces no %s at all.",
		"Most reports mention the %s, the %s and the %s together.",
	}
)

// word makes a word of two or three syllables.
func word(r *rand.Rand) string {
	var b strings.Builder
	for range 2 + r.IntN(2) {
		b.WriteString(onsets[r.IntN(len(onsets))])
		b.WriteString(nuclei[r.IntN(len(nuclei))])
		b.WriteString(codas[r.IntN(len(codas))])
	}
	return b.String()
}

// document returns document number n.
func (c *prose) document(n int) string {
	r := rand.New(rand.NewPCG(2*c.seed, uint64(n)))
	at := n * c.words / 3 // of the terms, when each comes once: three stand in a sentence of ten words and more
	term := func() string {
		at++
		if c.each {
			return c.terms[at%len(c.terms)]
		}
		return c.term(r)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Report %d\n\n", n)
	for written := 2; written < c.words; {
		s := fmt.Sprintf(sentences[r.IntN(len(sentences))], term(), term(), term())
		b.WriteString(s)
		b.WriteByte(' ')
		written += len(strings.Fields(s))
		if r.IntN(6) == 0 {
			b.WriteString("\n\n")
		}
	}
	return b.String()
}

// term draws a term; the one of rank k comes about 1/k as often as the first.
func (c *prose) term(r *rand.Rand) string {
	rank := math.Exp(r.Float64() * math.Log(float64(len(c.terms))))
	return c.terms[min(int(rank)-1, len(c.terms)-1)]
}
