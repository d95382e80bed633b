package vectors

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
)

// set is the signatures of passages by one model. One goroutine at a time may change it, any
// number may ask it.
type set struct {
	model string

	mu         sync.RWMutex
	ids        []int32 // by place
	signatures []models.Signature
	places     map[int32]uint32  // by passage
	held       map[int32][]int32 // passages by chunk
}

func newSet(model string) *set {
	return &set{model: model, places: map[int32]uint32{}, held: map[int32][]int32{}}
}

// perPassage is about how many bytes a passage takes, with its places in the maps.
const perPassage = models.SignatureBits/8 + 4 + 40

// bytes returns about how much memory the set takes.
func (s *set) bytes() int64 { return int64(s.len()) * perPassage }

func (s *set) len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.ids)
}

// add adds a passage that is not there.
func (s *set) add(p corpus.SignedPassage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(p)
}

// replace has chunks have these passages and no others.
func (s *set) replace(sources []int32, passages []corpus.SignedPassage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, source := range sources {
		for _, id := range s.held[source] {
			s.remove(id)
		}
		delete(s.held, source)
	}
	for _, p := range passages {
		s.put(p)
	}
}

func (s *set) put(p corpus.SignedPassage) {
	if at, known := s.places[p.ID]; known {
		s.signatures[at] = p.Signature
		return
	}
	s.places[p.ID] = uint32(len(s.ids))
	s.ids, s.signatures = append(s.ids, p.ID), append(s.signatures, p.Signature)
	s.held[p.Source] = append(s.held[p.Source], p.ID)
}

// remove takes a passage out; the last one takes its place.
func (s *set) remove(id int32) {
	at, known := s.places[id]
	if !known {
		return
	}
	last := len(s.ids) - 1
	s.ids[at], s.signatures[at] = s.ids[last], s.signatures[last]
	s.places[s.ids[at]] = at
	delete(s.places, id)
	s.ids, s.signatures = s.ids[:last], s.signatures[:last]
}

// near is a passage, and in how many bits its signature differs.
type near struct {
	id       int32
	distance uint16
}

// distances is the working space of a question.
type distances struct {
	of    []uint16 // by place
	count [models.SignatureBits + 1]int
}

var spaces = sync.Pool{New: func() any { return new(distances) }}

// firstLook is how many passages are looked at for each that is wanted, before more are.
const firstLook = 4

// nearest returns the passages that allow lets pass whose signatures differ least from one,
// those that differ as much by their IDs, and how those of all passages differ.
func (s *set) nearest(signature *models.Signature, most int, allow func(id int32) bool) ([]int32, spread) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	space := spaces.Get().(*distances)
	defer spaces.Put(space)
	space.scan(s.signatures, signature)
	found := make([]int32, 0, most)
	for from, look := 0, firstLook*most; from <= models.SignatureBits && len(found) < most; look *= firstLook {
		end := space.upTo(from, look)
		for _, n := range space.between(s.ids, from, end) {
			if len(found) < most && allow(n.id) {
				found = append(found, n.id)
			}
		}
		from = end + 1
	}
	return found, space.spread(len(s.ids))
}

// scan computes the distance of every passage, and counts them.
func (d *distances) scan(all []models.Signature, signature *models.Signature) {
	if cap(d.of) < len(all) {
		d.of = make([]uint16, len(all)+len(all)/8)
	}
	d.of = d.of[:len(all)]
	clear(d.count[:])
	for at := range all {
		n := 0
		for i, word := range &all[at] {
			n += bits.OnesCount64(word ^ signature[i])
		}
		d.of[at] = uint16(n)
		d.count[n]++
	}
}

// upTo returns the least distance up to which there are so many passages from a distance on.
func (d *distances) upTo(from, most int) int {
	all := 0
	for n := from; n <= models.SignatureBits; n++ {
		if all += d.count[n]; all >= most {
			return n
		}
	}
	return models.SignatureBits
}

// between returns the passages of these distances, nearest first, then by ID.
func (d *distances) between(ids []int32, from, end int) []near {
	var all []near
	for at, n := range d.of {
		if int(n) >= from && int(n) <= end {
			all = append(all, near{ids[at], n})
		}
	}
	slices.SortFunc(all, func(a, b near) int { return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.id, b.id)) })
	return all
}

// spread is how similar the passages of a library are to a question. Models differ in what they
// call similar, so a similarity is said by how far it is above what is usual.
type spread struct{ mean, deviation float64 }

// A library of a few passages says little of what is usual: it is taken to have usualPassages
// more, which deviate by usualDeviation.
const (
	usualPassages  = 20
	usualDeviation = 0.1
)

// spread returns how similar all passages are, as far as their signatures say.
func (d *distances) spread(passages int) spread {
	var sum, square float64
	for n, count := range d.count {
		cosine := math.Cos(math.Pi * float64(n) / models.SignatureBits)
		sum += float64(count) * cosine
		square += float64(count) * cosine * cosine
	}
	n := math.Max(1, float64(passages))
	mean := sum / n
	variance := math.Max(0, square/n-mean*mean)
	return spread{mean, math.Sqrt((n*variance + usualPassages*usualDeviation*usualDeviation) / (n + usualPassages))}
}

// mostDeviations bounds how far a similarity is from what is usual.
const mostDeviations = 8

// of returns how many deviations a similarity is above the mean, from -8 to 8.
func (s spread) of(cosine float64) float64 {
	return min(max((cosine-s.mean)/s.deviation, -mostDeviations), mostDeviations)
}
