package library

import (
	"hash/maphash"
	"math/bits"
	"slices"

	"github.com/kappagraph/kappa/internal/answers"
	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/ranking"
)

// nearlySame is the share of words that two passages have in common which are shown as one.
const nearlySame = 0.8

// folded is how many passages are compared for each that is shown: a twin further behind
// would be shown on a later page at most.
const folded = 3

// kept is a passage that is shown, with those that say nearly the same.
type kept struct {
	ranking.Ranked

	twins []int32
	text  *answers.Passage // when it has been read
}

// fold returns the first passages, each once: one that has nearly the words of a better one is
// its twin.
func fold(v *index.View, ranked []ranking.Ranked, most int) []kept {
	all := make([]kept, 0, min(most, len(ranked)))
	f := folder{view: v, words: make([]wordSet, 0, cap(all))}
	for i := range ranked[:min(len(ranked), folded*most)] {
		r := &ranked[i]
		of := f.wordsOf(r)
		switch twin := f.twin(&of); {
		case twin >= 0:
			all[twin].twins = append(all[twin].twins, r.ID)
		case len(all) < most:
			all, f.words = append(all, kept{Ranked: *r}), append(f.words, of)
		}
	}
	return all
}

// folder compares the passages of one answer.
type folder struct {
	view    *index.View
	passage index.Numbered
	words   []wordSet // of those that are shown
}

// twin returns the first of the passages that are shown which has nearly these words, or -1.
func (f *folder) twin(of *wordSet) int {
	for i := range f.words {
		k := &f.words[i]
		// What differs is more than a fifth of all words when it is more than a quarter of what
		// both can have: most passages need not be compared word by word to see that.
		if 4*of.sketch.apart(&k.sketch) <= min(of.count, k.count) && same(f.each(k), f.each(of)) {
			return i
		}
	}
	return -1
}

// wordSet is the words of a passage.
type wordSet struct {
	of     *index.Candidate
	count  int // of all words
	sketch sketch
	hashes []uint64 // sorted, each once, when they have been read
}

func (f *folder) wordsOf(r *ranking.Ranked) wordSet {
	f.view.ReadNumbers(&r.Candidate, &f.passage)
	s := wordSet{of: &r.Candidate, count: len(f.passage.Words)}
	for _, number := range f.passage.Words {
		s.sketch.add(f.passage.Bit(number))
	}
	return s
}

// each returns the words by their hashes, sorted, each once.
func (f *folder) each(s *wordSet) []uint64 {
	if s.hashes != nil {
		return s.hashes
	}
	f.view.ReadNumbers(s.of, &f.passage)
	s.hashes = make([]uint64, len(f.passage.Words))
	for i, number := range f.passage.Words {
		s.hashes[i] = maphash.String(seed, f.passage.Word(number).Text)
	}
	slices.Sort(s.hashes)
	s.hashes = slices.Compact(s.hashes)
	return s.hashes
}

var seed = maphash.MakeSeed()

// sketch is a set of words, each of which has one of 256 bits. Several words may have the same.
type sketch [4]uint64

func (s *sketch) add(bit uint8) { s[bit>>6] |= 1 << (bit & 63) }

// apart returns how many words at least are in one of two sets and not in the other.
func (s *sketch) apart(other *sketch) int {
	n := 0
	for i := range s {
		n += bits.OnesCount64(s[i] ^ other[i])
	}
	return n
}

// same reports whether two sorted lists have most of their words in common.
func same(a, b []uint64) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if float64(len(a)) < nearlySame*float64(len(b)) {
		return false
	}
	common, j := 0, 0
	for _, w := range a {
		for j < len(b) && b[j] < w {
			j++
		}
		if j < len(b) && b[j] == w {
			common++
		}
	}
	return float64(common) >= nearlySame*float64(len(a)+len(b)-common)
}
