package ranking

import (
	"math"
	"math/bits"

	"github.com/kappagraph/kappa/internal/retrieval/index"
)

// The parameters of BM25 for terms in a passage and in a document.
const (
	k1         = 0.7
	b          = 0.7
	k1Document = 2.0
)

// comparer compares the candidates of one question with it. Its slices are used again.
type comparer struct {
	q         *Question
	v         *index.View
	passage   index.Passage
	memory    [2]memory // for English passages, and for others
	seen      seen
	counts    [2][mostTerms]float64 // of loose and of exact terms in the passage
	grams     [mostGrams]float64
	runs      []run
	spans     [mostTerms]int
	stamps    [mostGrams]int
	documents map[int32]document
}

// hit is a term that counts, at its place in the passage.
type hit struct {
	at int
	id int8
}

// seen is what a passage has of the question.
type seen struct {
	loose          []int8 // of each word, the loose term, -1 for none
	exact          []int8
	hits           []hit // those of the loose terms that count
	sentences      []uint64
	exactSentences []uint64
	gramSentences  []int
	gramList       []int16
	inside         uint64 // the loose terms in the passage, as a set
	insideAll      uint64 // the exact ones
	around         uint64 // and the loose ones around it
	near           uint64 // and those that are there by a word they may mean
}

func (c *comparer) begin(q *Question, v *index.View) {
	c.q, c.v = q, v
	for i := range c.memory {
		c.memory[i].begin()
	}
	if c.documents == nil {
		c.documents = map[int32]document{}
	}
	clear(c.documents)
}

func (q *Question) side(english bool) (*side, int) {
	if english {
		return &q.stems, 0
	}
	return &q.other, 1
}

// compare appends what a candidate is to the question, in the order of names.
func (c *comparer) compare(candidate *index.Candidate, to []float64) []float64 {
	d, which := c.q.side(candidate.English)
	c.v.Read(candidate, &c.passage)
	c.look(d, &c.memory[which])
	s := &c.seen
	length := float64(len(c.passage.Words)) / c.q.mean
	norm := k1 * (1 - b + b*length)
	covered := d.loose.of(s.inside)
	one, two := c.inSentences(d)
	doc := c.document(candidate, d)
	missing := d.loose.known() &^ (s.inside | s.around)
	for _, x := range [...]float64{
		share(saturated(c.counts[0][:d.loose.content], d.loose.weight, norm), d.loose.sum),
		share(saturated(c.counts[1][:d.exact.content], d.exact.weight, norm), d.exact.sum),
		share(saturated(c.grams[:len(c.q.grams.weight)], c.q.grams.weight, norm), c.q.grams.sum),
		share(covered, d.loose.sum),
		share(d.exact.of(s.insideAll), d.exact.sum),
		share(float64(bits.OnesCount64(s.inside)), float64(d.loose.content)),
		share(one, d.loose.sum),
		share(two, d.loose.sum),
		share(c.span(d, 20), d.loose.sum),
		share(c.span(d, 8), d.loose.sum),
	} {
		to = append(to, x)
	}
	sg, dg := c.gramsInSentences()
	to = append(to, share(sg, c.q.grams.sum), share(dg, c.q.grams.sum))
	sq, all := 0.0, 0.0
	for i, w := range d.loose.weight[:d.loose.content] {
		if n := c.counts[0][i]; n > 0 {
			sq += w * w * n / (n + norm)
		}
		all += w * w
	}
	to = append(to, share(sq, all))
	var oneE float64
	for _, set := range s.exactSentences {
		oneE = math.Max(oneE, d.exact.of(set))
	}
	to = append(to, share(oneE, d.exact.sum))
	to = c.pairs(d, to)
	weight, count := c.run(d)
	to = append(to,
		share(weight, d.loose.sum),
		share(count, float64(len(d.order))))
	to = append(to,
		share(d.loose.of(s.around), d.loose.sum),
		share(d.loose.of(s.around&^s.inside), d.loose.sum),
		share(doc, d.loose.sum),
		math.Log(math.Max(.1, math.Min(10, length))),
		share(d.loose.of(s.inside&d.names), d.loose.of(d.names)),
		share(d.loose.of(s.inside&d.numbers), d.loose.of(d.numbers)),
		share(d.loose.of(s.near&^s.inside), d.loose.sum),
		share(d.loose.of(missing), d.loose.sum),
		d.rarestMissing(s.inside|s.around),
		c.early(d),
	)
	return append(to, 0, 0, 0, 0, 0, 0, 0) // for answer
}

// look finds the question's words in the passage.
func (c *comparer) look(d *side, m *memory) {
	s := &c.seen
	*s = seen{loose: s.loose[:0], exact: s.exact[:0], hits: s.hits[:0], sentences: s.sentences[:0], exactSentences: s.exactSentences[:0], gramSentences: s.gramSentences[:0], gramList: s.gramList[:0]}
	clear(c.counts[0][:len(d.loose.text)])
	clear(c.counts[1][:len(d.exact.text)])
	clear(c.grams[:len(c.q.grams.weight)])
	next := 0
	for i := range c.passage.Words {
		for next < len(c.passage.Sentences) && c.passage.Sentences[next] <= i {
			s.sentences = append(s.sentences, 0)
			s.exactSentences = append(s.exactSentences, 0)
			s.gramSentences = append(s.gramSentences, len(s.gramList))
			next++
		}
		p := m.of(&c.passage.Words[i], c.q, d)
		s.loose, s.exact = append(s.loose, p.loose), append(s.exact, p.exact)
		for _, g := range m.grams[p.grams:][:p.count] {
			c.grams[g]++
			s.gramList = append(s.gramList, g)
		}
		if p.nears >= 0 {
			s.near |= 1 << p.nears
		}
		if p.exact >= 0 {
			c.counts[1][p.exact]++
			if int(p.exact) < d.exact.content {
				s.insideAll |= 1 << p.exact
				if n := len(s.exactSentences); n > 0 {
					s.exactSentences[n-1] |= 1 << p.exact
				}
			}
		}
		if p.loose >= 0 {
			c.counts[0][p.loose]++
			if int(p.loose) < d.loose.content {
				s.inside |= 1 << p.loose
				s.hits = append(s.hits, hit{i, p.loose})
				if n := len(s.sentences); n > 0 {
					s.sentences[n-1] |= 1 << p.loose
				}
			}
		}
	}
	for i := range c.passage.Around {
		p := m.of(&c.passage.Around[i], c.q, d)
		if p.loose >= 0 && int(p.loose) < d.loose.content {
			s.around |= 1 << p.loose
		}
		if p.nears >= 0 {
			s.near |= 1 << p.nears
		}
	}
}

// of returns what a set of terms weighs.
func (t *terms) of(set uint64) float64 {
	sum := 0.0
	for ; set != 0; set &= set - 1 {
		sum += t.weight[bits.TrailingZeros64(set)]
	}
	return sum
}

// known returns all terms that count, as a set.
func (t *terms) known() uint64 { return 1<<t.content - 1 }

func (d *side) rarestMissing(has uint64) float64 {
	most, at := -1.0, 0
	for id, w := range d.loose.weight[:d.loose.content] {
		if w > most {
			most, at = w, id
		}
	}
	if has>>at&1 == 1 {
		return 0
	}
	return 1
}

func saturated(counts, weight []float64, norm float64) float64 {
	sum := 0.0
	for i, n := range counts {
		if n > 0 {
			sum += weight[i] * n / (n + norm)
		}
	}
	return sum
}

// inSentences returns what the best sentence and the best two in a row have.
func (c *comparer) inSentences(d *side) (one, two float64) {
	before := uint64(0)
	for _, set := range c.seen.sentences {
		if set != 0 {
			one = math.Max(one, d.loose.of(set))
			two = math.Max(two, d.loose.of(set|before))
		}
		before = set
	}
	return one, two
}

// span returns what the best so many words in a row have.
func (c *comparer) span(d *side, width int) float64 {
	clear(c.spans[:])
	most, sum, first := 0.0, 0.0, 0
	for _, h := range c.seen.hits {
		for ; c.seen.hits[first].at <= h.at-width; first++ {
			id := c.seen.hits[first].id
			if c.spans[id]--; c.spans[id] == 0 {
				sum -= d.loose.weight[id]
			}
		}
		if c.spans[h.id]++; c.spans[h.id] == 1 {
			sum += d.loose.weight[h.id]
		}
		most = math.Max(most, sum)
	}
	return most
}

// pairs appends what the pairs weigh that stand as in the question: at its distance, one word
// more or less apart, by their exact words, over a word, and within eight words in any order.
func (c *comparer) pairs(d *side, to []float64) []float64 {
	var same, about, exact, over, window float64
	for i := range d.pairs {
		p := &d.pairs[i]
		has := c.pair(d, p)
		switch {
		case p.over:
			over += p.weight * has.same
		default:
			same += p.weight * has.same
			about += p.weight * has.about
			exact += p.weight * has.exact
			window += p.weight * has.window
		}
	}
	return append(to, share(same, d.single), share(about, d.single), share(exact, d.single), share(over, d.double), share(window, d.single))
}

type pairSeen struct{ same, about, exact, window float64 }

func (c *comparer) pair(d *side, p *pair) (has pairSeen) {
	both := uint64(1)<<p.first | 1<<p.second
	if c.seen.inside&both != both {
		return has
	}
	last := [2]int{-farthest - 1, -farthest - 1} // where each was last
	for _, h := range c.seen.hits {
		switch h.id {
		case p.first:
			last[0] = h.at
			if h.at-last[1] <= farthest {
				has.window = 1
			}
			if at := h.at + p.distance; at < len(c.seen.loose) && c.seen.loose[at] == p.second {
				has.same = 1
				if c.exactly(d, h.at, p.first) && c.exactly(d, at, p.second) {
					has.exact = 1
				}
			}
		case p.second:
			last[1] = h.at
			apart := h.at - last[0]
			if apart <= farthest {
				has.window = 1
			}
			if apart >= p.distance-1 && apart <= p.distance+1 {
				has.about = 1
			}
		}
	}
	return has
}

// exactly reports whether the word at a place is written as in the question.
func (c *comparer) exactly(d *side, at int, id int8) bool {
	exact := c.seen.exact[at]
	return exact >= 0 && d.exact.text[exact] == d.loose.spelled[id].Text
}

// run returns what the longest run of the question's words that stands in the passage weighs,
// and how many words the longest one has. One word is no run.
func (c *comparer) run(d *side) (weight, count float64) {
	if len(c.runs) < len(d.order) {
		c.runs = make([]run, len(d.order))
	}
	for m := range d.order {
		c.runs[m] = run{end: -2}
	}
	for i, id := range c.seen.loose {
		if id < 0 {
			continue
		}
		for m := len(d.order) - 1; m >= 0; m-- {
			if d.order[m] != id {
				continue
			}
			r := run{end: i, weight: d.loose.weight[id], count: 1}
			if m > 0 && c.runs[m-1].end == i-1 {
				r.weight += c.runs[m-1].weight
				r.count += c.runs[m-1].count
				weight, count = math.Max(weight, r.weight), math.Max(count, r.count)
			}
			c.runs[m] = r
		}
	}
	return weight, count
}

// run is a run of the question's words in the passage: the place of its last word there, what
// its words weigh, and how many they are.
type run struct {
	end           int
	weight, count float64
}

// early is how near to the beginning of the passage the question's words are.
func (c *comparer) early(d *side) float64 {
	if len(c.seen.hits) == 0 {
		return 0
	}
	return 1 / (1 + float64(c.seen.hits[0].at)/10)
}

func (c *comparer) gramsInSentences() (one, two float64) {
	s := &c.seen
	for width := 1; width <= 2; width++ {
		clear(c.stamps[:len(c.q.grams.weight)])
		for i, from := range s.gramSentences {
			if width == 2 && i == 0 && len(s.gramSentences) > 1 {
				continue
			}
			if width == 2 && i > 0 {
				from = s.gramSentences[i-1]
			}
			to := len(s.gramList)
			if i+1 < len(s.gramSentences) {
				to = s.gramSentences[i+1]
			}
			sum := 0.0
			for _, g := range s.gramList[from:to] {
				if c.stamps[g] != i+1 {
					c.stamps[g] = i + 1
					sum += c.q.grams.weight[g]
				}
			}
			if width == 1 {
				one = math.Max(one, sum)
			} else {
				two = math.Max(two, sum)
			}
		}
	}
	return one, two
}
