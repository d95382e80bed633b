package signatures

import (
	"slices"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
)

const (
	bandBits  = 12
	bandCount = models.SignatureBits / bandBits
	bandKeys  = 1 << bandBits
)

// bands are the positions by each band of their signatures (see
// models.Signature.Bands).
type bands struct {
	starts    [bandCount][bandKeys + 1]uint32 // where the positions of a key begin
	positions [bandCount][]uint32
}

// newBands sorts the positions that have an embedding by each band.
func newBands(r *rows) *bands {
	all := &bands{}
	for b := range bandCount {
		starts := &all.starts[b]
		for at := range r.signatures {
			if r.embedded[at] {
				starts[r.signatures[at].Band(b)+1]++
			}
		}
		for key := range bandKeys {
			starts[key+1] += starts[key]
		}
		next := *starts
		positions := make([]uint32, starts[bandKeys])
		for at := range r.signatures {
			if r.embedded[at] {
				key := r.signatures[at].Band(b)
				positions[next[key]] = uint32(at)
				next[key]++
			}
		}
		all.positions[b] = positions
	}
	return all
}

// sharing returns the positions whose band has a key.
func (b *bands) sharing(band int, key uint32) []uint32 {
	starts := &b.starts[band]
	return b.positions[band][starts[key]:starts[key+1]]
}

func (b *bands) bytes() int64 {
	return bandCount * (int64(bandKeys+1)*4 + int64(len(b.positions[0]))*4)
}

// Close returns the numbers of the concepts that share a band of their signatures with
// q's, those that differ least first, then by number. It finds nearly all concepts with
// a cosine of 0.8 and above, and fewer the lower it is.
func (x *Index) Close(q knowledge.NearQuery) []int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	space := spaces.Get().(*scratch)
	defer spaces.Put(space)
	space.collect(x, &q.Signature)
	return x.rows.first(space.within(&x.rows, &q.Signature, x.filter(q.Ontology), q.Limit), q.Limit)
}

// collect finds the positions that share a band with a signature, each once. What they
// are is asked afterwards: the loop over them then waits for the memory less.
func (s *scratch) collect(x *Index, signature *models.Signature) {
	s.found = s.found[:0]
	s.seen.reset(len(x.rows.numbers))
	for _, at := range x.moved.list {
		s.seen.add(at)
		if x.rows.signatures[at].SharesBand(signature) {
			s.found = append(s.found, near{at: at})
		}
	}
	if x.base.bands == nil {
		return
	}
	for b := range bandCount {
		for _, at := range x.base.bands.sharing(b, signature.Band(b)) {
			if word, bit := &s.seen.words[at/64], uint64(1)<<(at%64); *word&bit == 0 {
				*word |= bit
				s.found = append(s.found, near{at: at})
			}
		}
	}
}

// within computes the distances of what was found, and returns the concepts up to the
// distance within which there are so many. The signatures lie all over the memory: those
// of a batch are touched first, so that the processor fetches them at the same time and
// not one after the other, which takes three times as long.
func (s *scratch) within(r *rows, signature *models.Signature, filter []bool, most int) []near {
	var count [excluded + 1]int
	for batch := range slices.Chunk(s.found, touchAtOnce) {
		touched := uint64(0)
		for i := range batch {
			row := &r.signatures[batch[i].at]
			touched ^= row[0] ^ row[len(row)-1]
		}
		s.touched = touched
		for i := range batch {
			n := &batch[i]
			n.distance = uint16(distance(&r.signatures[n.at], signature))
			if !r.embedded[n.at] || !r.allows(filter, n.at) {
				n.distance = excluded
			}
			count[n.distance]++
		}
	}
	limit := limitOf(count[:excluded], most)
	kept := s.found[:0]
	for _, n := range s.found {
		if n.distance <= limit {
			kept = append(kept, n)
		}
	}
	return kept
}
