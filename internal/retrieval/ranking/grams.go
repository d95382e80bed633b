package ranking

import (
	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// mostGrams bounds the runs of four letters that are compared.
const mostGrams = 512

// gramSet holds the runs of four letters in the words of a question that count.
type gramSet struct {
	id     map[string]int16
	weight []float64
	sum    float64
	filter [128]uint64 // a bit for each gram by its first bytes: most grams of a passage are not there
}

func newGramSet(all []asked, s Statistics) gramSet {
	g := gramSet{id: map[string]int16{}}
	for i := range all {
		if all[i].function {
			continue
		}
		for gram := range words.Grams(all[i].Text) {
			if _, ok := g.id[gram]; ok || len(g.weight) == mostGrams {
				continue
			}
			g.id[gram] = int16(len(g.weight))
			weight := rarity(float64(s.Passages()), s.Frequency(index.Grams, gram))
			g.weight = append(g.weight, weight)
			g.sum += weight
			h := gramHash(gram)
			g.filter[h>>6] |= 1 << (h & 63)
		}
	}
	return g
}

// gramHash returns thirteen bits of a gram. Most have four bytes.
func gramHash(gram string) uint32 {
	if len(gram) == 4 {
		return fourHash(uint32(gram[0]) | uint32(gram[1])<<8 | uint32(gram[2])<<16 | uint32(gram[3])<<24)
	}
	h := uint32(len(gram))
	for i := range min(len(gram), 8) {
		h = h*31 + uint32(gram[i])
	}
	return h * 2654435761 >> 19
}

// fourHash returns thirteen bits of a gram of four bytes.
func fourHash(four uint32) uint32 { return four * 2654435761 >> 19 }

// appendIDs appends the grams of a word that the question has.
func (g *gramSet) appendIDs(ids []int16, text string) []int16 {
	if len(text) > 4 && plain(text) {
		four := uint32(text[0])<<8 | uint32(text[1])<<16 | uint32(text[2])<<24
		for i := 3; i < len(text); i++ {
			four = four>>8 | uint32(text[i])<<24
			if h := fourHash(four); g.filter[h>>6]&(1<<(h&63)) != 0 {
				if id, ok := g.id[text[i-3:i+1]]; ok {
					ids = append(ids, id)
				}
			}
		}
		return ids
	}
	for gram := range words.Grams(text) {
		ids = g.appendID(ids, gram)
	}
	return ids
}

func (g *gramSet) appendID(ids []int16, gram string) []int16 {
	if h := gramHash(gram); g.filter[h>>6]&(1<<(h&63)) == 0 {
		return ids
	}
	if id, ok := g.id[gram]; ok {
		ids = append(ids, id)
	}
	return ids
}

// plain reports whether a word is of ASCII and no number: then its grams have four bytes.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return text[0] > '9'
}
