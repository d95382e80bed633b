package signatures

import (
	"math"
	"slices"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// blockSize is how many coordinates a block of vectors has room for.
const blockSize = 1 << 16

// vectors are the embeddings by position, each with the coordinates that are not zero:
// the built-in embedding has about a fifth of them. What is left out adds nothing to a
// product, so similarities are the same as those of the whole vectors, to the last bit.
type vectors struct {
	held   bool
	refs   []vectorRef
	blocks []block
	unused int // coordinates of vectors that are gone
}

// vectorRef is where a vector lies.
type vectorRef struct {
	square     float64 // of its length
	block      uint32
	from       uint32
	most       uint16 // coordinates that are not zero
	dimensions uint16
}

// block is the coordinates of some vectors.
type block struct {
	places []uint16
	values []float32
}

// put stores the vector of a position. The room of the one before is not used again.
func (v *vectors) put(at uint32, e models.Embedding) {
	if !v.held {
		return
	}
	for int(at) >= len(v.refs) {
		v.refs = append(v.refs, vectorRef{})
	}
	v.unused += int(v.refs[at].most)
	if len(e) == 0 {
		v.refs[at] = vectorRef{}
		return
	}
	last := v.room(len(e))
	ref := vectorRef{block: uint32(len(v.blocks) - 1), from: uint32(len(last.places)), dimensions: uint16(len(e))}
	for i, x := range e {
		ref.square += float64(x) * float64(x)
		if x != 0 {
			last.places, last.values = append(last.places, uint16(i)), append(last.values, x)
			ref.most++
		}
	}
	v.refs[at] = ref
}

// compact returns v without what is unused, when that is more than half.
func (v *vectors) compact() vectors {
	if v.unused <= len(v.blocks)*blockSize/2 {
		return *v
	}
	c := vectors{held: v.held, refs: slices.Clone(v.refs)}
	for at, ref := range v.refs {
		if ref.most == 0 {
			continue
		}
		from := v.blocks[ref.block]
		to := c.room(int(ref.most))
		c.refs[at].block, c.refs[at].from = uint32(len(c.blocks)-1), uint32(len(to.places))
		to.places = append(to.places, from.places[ref.from:ref.from+uint32(ref.most)]...)
		to.values = append(to.values, from.values[ref.from:ref.from+uint32(ref.most)]...)
	}
	return c
}

// room returns a block with room for so many coordinates.
func (v *vectors) room(n int) *block {
	if len(v.blocks) == 0 || len(v.blocks[len(v.blocks)-1].places)+n > blockSize {
		v.blocks = append(v.blocks, block{make([]uint16, 0, blockSize), make([]float32, 0, blockSize)})
	}
	return &v.blocks[len(v.blocks)-1]
}

// cosine returns the similarity of e, whose length has that square, with the vector of a
// position; see models.Embedding.Cosine.
func (v *vectors) cosine(e models.Embedding, square float64, at uint32) float64 {
	ref := v.refs[at]
	if int(ref.dimensions) != len(e) || square == 0 || ref.square == 0 {
		return 0
	}
	b := &v.blocks[ref.block]
	places := b.places[ref.from : ref.from+uint32(ref.most)]
	values := b.values[ref.from:][:len(places)]
	dot := 0.0
	for i, place := range places {
		dot += float64(e[place]) * float64(values[i])
	}
	return dot / math.Sqrt(square*ref.square)
}

func (v *vectors) bytes() int64 {
	return int64(len(v.refs))*24 + int64(len(v.blocks))*blockSize*6
}

// Similar returns how similar the embeddings of concepts are to e. A concept that has
// none, or that is not known, is left out. held is false when the index has no vectors.
func (x *Index) Similar(e models.Embedding, ids []int) (similar []questions.SimilarConcept, held bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if !x.rows.vectors.held {
		return nil, false
	}
	square := 0.0
	for _, c := range e {
		square += float64(c) * float64(c)
	}
	similar = make([]questions.SimilarConcept, 0, len(ids))
	for _, id := range ids {
		if at, known := x.rows.byNumber[int32(id)]; known && x.rows.embedded[at] {
			similar = append(similar, questions.SimilarConcept{ID: id, ConceptID: x.rows.ids[at], Cosine: x.rows.vectors.cosine(e, square, at)})
		}
	}
	return similar, true
}
