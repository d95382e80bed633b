package signatures

import (
	"math/bits"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// rows are the concepts, one a position. Positions of removed concepts are used again.
type rows struct {
	byNumber   map[int32]uint32 // the position of a concept
	free       []uint32
	numbers    []int32 // of the concept; 0 = the position is free
	ids        []string
	signatures []models.Signature
	embedded   []bool // the concept has an embedding
	set        []uint32
	vectors    vectors
}

// place stores an entry, and returns its position. The set of its ontologies is the
// caller's to store.
func (r *rows) place(e questions.SearchEntry) uint32 {
	if r.byNumber == nil {
		r.byNumber = map[int32]uint32{}
	}
	number := int32(e.ID)
	at, known := r.byNumber[number]
	if !known {
		at = r.newPosition()
		r.byNumber[number] = at
	}
	r.numbers[at], r.ids[at] = number, e.ConceptID
	r.signatures[at], r.embedded[at] = e.Signature, len(e.Embedding) > 0
	r.vectors.put(at, e.Embedding)
	return at
}

func (r *rows) newPosition() uint32 {
	if n := len(r.free); n > 0 {
		at := r.free[n-1]
		r.free = r.free[:n-1]
		return at
	}
	at := uint32(len(r.numbers))
	r.numbers, r.ids = append(r.numbers, 0), append(r.ids, "")
	r.signatures = append(r.signatures, models.Signature{})
	r.embedded, r.set = append(r.embedded, false), append(r.set, 0)
	return at
}

// remove forgets a concept.
func (r *rows) remove(id int) (at uint32, known bool) {
	at, known = r.byNumber[int32(id)]
	if !known {
		return 0, false
	}
	delete(r.byNumber, int32(id))
	r.free = append(r.free, at)
	r.numbers[at], r.ids[at], r.embedded[at] = 0, "", false
	r.vectors.put(at, nil)
	return at, true
}

// bytes is about what the rows take.
func (r *rows) bytes() int64 {
	const (
		fixed = models.SignatureBits/8 + 4 + 16 + 32 + 1 + 4 // signature, number, id with its text, embedded, set
		entry = 24                                           // of byNumber
	)
	return int64(len(r.numbers))*fixed + int64(len(r.byNumber))*entry + r.vectors.bytes()
}

// distance is models.Signature.Distance without its loop: the scan is nothing else.
func distance(a, b *models.Signature) int {
	return bits.OnesCount64(a[0]^b[0]) + bits.OnesCount64(a[1]^b[1]) + bits.OnesCount64(a[2]^b[2]) +
		bits.OnesCount64(a[3]^b[3]) + bits.OnesCount64(a[4]^b[4]) + bits.OnesCount64(a[5]^b[5]) +
		bits.OnesCount64(a[6]^b[6]) + bits.OnesCount64(a[7]^b[7]) + bits.OnesCount64(a[8]^b[8]) +
		bits.OnesCount64(a[9]^b[9]) + bits.OnesCount64(a[10]^b[10]) + bits.OnesCount64(a[11]^b[11])
}

// bitset is a set of positions.
type bitset struct{ words []uint64 }

func (b *bitset) add(at uint32) {
	for int(at/64) >= len(b.words) {
		b.words = append(b.words, 0)
	}
	b.words[at/64] |= 1 << (at % 64)
}

func (b *bitset) has(at uint32) bool {
	return int(at/64) < len(b.words) && b.words[at/64]>>(at%64)&1 == 1
}

// reset empties the set and makes room for n positions.
func (b *bitset) reset(n int) {
	if need := (n + 63) / 64; cap(b.words) < need {
		b.words = make([]uint64, need)
	} else {
		b.words = b.words[:need]
		clear(b.words)
	}
}

// changed are positions, each once, in the order in which they came.
type changed struct {
	bitset

	list []uint32
}

func (c *changed) add(at uint32) {
	c.bitset.add(at)
	c.list = append(c.list, at)
}
