package ranking

import (
	"math"
	"math/bits"

	"github.com/kappagraph/kappa/internal/retrieval/index"
)

// The parameters of BM25, for terms in a passage and in a document.
const (
	k1         = 0.7
	b          = 0.7
	k1Document = 2.0
)

// comparer compares the candidates of one question with it. Its slices are used again.
type comparer struct {
	q         *Question
	v         *index.View
	passage   index.Numbered
	memory    [2]memory // for English passages, and for others
	seen      seen
	runs      []run
	documents map[int32]float64
	stamp     int      // of the last use of seen.stamps
	inside    []uint64 // of each candidate, the terms in it
	local     [2]terms // of each side, only with what they weigh
}

func (c *comparer) begin(q *Question, v *index.View) {
	c.q, c.v, c.inside = q, v, c.inside[:0]
	for i := range c.memory {
		c.memory[i].begin()
	}
	if c.documents == nil {
		c.documents = map[int32]float64{}
	}
	clear(c.documents)
}

// compare appends what a candidate is to the question, in the order of names. Everything is a
// share of what the question weighs, so that it is about as large for any question.
func (c *comparer) compare(candidate *index.Candidate, to []float64) []float64 {
	d, which := c.q.side(candidate.English)
	c.v.ReadNumbers(candidate, &c.passage)
	c.look(d, &c.memory[which])
	c.inside = append(c.inside, c.seen.inside)
	length := float64(len(c.passage.Words)) / c.q.mean
	to = c.compareWhole(d, k1*(1-b+b*length), to)
	to = c.compareSentences(d, to)
	to = append(to, share(c.span(d, 20), d.loose.sum), share(c.span(d, 8), d.loose.sum))
	to = c.comparePairs(d, to)
	s := &c.seen
	to = append(to,
		share(c.longestRun(d), float64(len(d.order))),
		share(d.loose.of(s.around), d.loose.sum),
		share(d.loose.of(s.around&^s.inside), d.loose.sum),
		share(c.document(candidate, d), d.loose.sum),
		math.Log(min(max(length, .1), 10)),
		share(d.loose.of(d.names&^(s.inside|s.around)), d.loose.sum),
		share(d.loose.of(d.numbers&^(s.inside|s.around)), d.loose.sum),
		share(d.loose.of(s.near&^s.inside), d.loose.sum),
		c.early(),
		0, 0, 0, 0, 0, 0, 0, 0, // are filled in when all candidates are known
	)
	return c.compareEvidence(d, to)
}

// evidenceUnit makes sums of what terms weigh about as large as the other features.
const evidenceUnit = 10

// compareEvidence appends how much of the question is in and around the passage, as a share and as
// it is: the more passages a library has, the more of a question one of them has by chance, about
// the logarithm of their number; how much of it the library has at all; how much of it the sentence
// lacks that has most, and how much the rarest word weighs, and the rarest that is lacking.
func (c *comparer) compareEvidence(d *side, to []float64) []float64 {
	matched := d.loose.of((c.seen.inside | c.seen.around) & d.loose.known())
	known := 0.0
	for i, w := range d.loose.weight[:d.loose.content] {
		if d.loose.passages[i] > 0 {
			known += w
		}
	}
	best := 0.0
	for i := range c.seen.sentences {
		best = max(best, d.loose.of(c.seen.sentences[i].loose))
	}
	var lacking, rarest float64
	for i, w := range d.loose.weight[:d.loose.content] {
		rarest = max(rarest, w)
		if (c.seen.inside|c.seen.around)>>i&1 == 0 {
			lacking = max(lacking, w)
		}
	}
	return append(to, share(matched, d.loose.sum),
		(matched-math.Log1p(c.q.size))/evidenceUnit, (d.loose.sum-matched)/evidenceUnit, share(known, d.loose.sum),
		(d.loose.sum-best)/evidenceUnit, lacking/evidenceUnit, rarest/evidenceUnit)
}

// compareWhole appends what the passage as a whole has: of its terms, of exact ones, of rare
// ones, and of the runs of four letters in them.
func (c *comparer) compareWhole(d *side, norm float64, to []float64) []float64 {
	s, g := &c.seen, &c.q.grams
	var rare, rarest float64
	for i, w := range d.loose.weight[:d.loose.content] {
		rarest += w * w
		if n := s.counts[i]; n > 0 {
			rare += w * w * n / (n + norm)
		}
	}
	return append(to,
		share(saturated(s.counts[:d.loose.content], d.loose.weight, norm), d.loose.sum),
		share(saturated(s.exactCounts[:d.exact.content], d.exact.weight, norm), d.exact.sum),
		share(rare, rarest),
		share(saturated(s.gramCounts[:len(g.weight)], g.weight, norm), g.sum),
	)
}

// saturated returns the sum of BM25.
func saturated(counts, weight []float64, norm float64) float64 {
	sum := 0.0
	for i, n := range counts {
		if n > 0 {
			sum += weight[i] * n / (n + norm)
		}
	}
	return sum
}

// document returns what the document as a whole has, which is the same for all its passages.
func (c *comparer) document(candidate *index.Candidate, d *side) float64 {
	if has, ok := c.documents[candidate.Document]; ok {
		return has
	}
	length := float64(c.v.DocumentWords(candidate)) * float64(max(1, c.v.Documents())) / (c.q.mean * c.q.size)
	norm := k1Document * (1 - b + b*length)
	sum := 0.0
	for id, text := range d.loose.text[:d.loose.content] {
		if d.loose.passages[id] == 0 {
			continue
		}
		if n := float64(c.v.InDocument(candidate, d.loose.field, text)); n > 0 {
			sum += d.loose.weight[id] * n / (n + norm)
		}
	}
	c.documents[candidate.Document] = sum
	return sum
}

// early is how near to the beginning of the passage the question's words are.
func (c *comparer) early() float64 {
	if len(c.seen.hits) == 0 {
		return 0
	}
	return 1 / (1 + float64(c.seen.hits[0].at)/10)
}

// locally weighs the terms of a side by how few of its candidates have them.
func (c *comparer) locally(d *side, which int, candidates []index.Candidate) {
	var has [mostTerms]int
	n := 0
	for i, set := range c.inside {
		if _, of := c.q.side(candidates[i].English); of != which {
			continue
		}
		n++
		for ; set != 0; set &= set - 1 {
			has[bits.TrailingZeros64(set)]++
		}
	}
	l := &c.local[which]
	l.weight, l.sum = l.weight[:0], 0
	for _, times := range has[:d.loose.content] {
		w := rarity(float64(n), times)
		l.weight = append(l.weight, w)
		l.sum += w
	}
}
