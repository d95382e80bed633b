package ranking

// What stands near each other: in a sentence, in some words in a row, in pairs and runs.

// compareSentences appends what the best sentence has: of its terms, of exact ones, of the runs
// of four letters in them; and what two in a row have of these.
func (c *comparer) compareSentences(d *side, to []float64) []float64 {
	s := &c.seen
	var loose, exact, one, two float64
	for i := range s.sentences {
		loose = max(loose, d.loose.of(s.sentences[i].loose))
		exact = max(exact, d.exact.of(s.sentences[i].exact))
		one = max(one, c.gramsIn(i, i))
	}
	for i := range s.sentences {
		two = max(two, c.gramsIn(max(0, i-1), i))
	}
	sum := c.q.grams.sum
	return append(to, share(loose, d.loose.sum), share(exact, d.exact.sum), share(one, sum), share(two, sum))
}

// gramsIn returns what the runs of four letters weigh that some sentences have.
func (c *comparer) gramsIn(first, last int) float64 {
	s := &c.seen
	end := len(s.grams)
	if last+1 < len(s.sentences) {
		end = s.sentences[last+1].grams
	}
	c.stamp++
	sum := 0.0
	for _, g := range s.grams[s.sentences[first].grams:end] {
		if s.stamps[g] != c.stamp {
			s.stamps[g] = c.stamp
			sum += c.q.grams.weight[g]
		}
	}
	return sum
}

// span returns what the best so many words in a row have.
func (c *comparer) span(d *side, width int) float64 {
	s := &c.seen
	clear(s.spans[:d.loose.content])
	most, sum, first := 0.0, 0.0, 0
	for _, h := range s.hits {
		for ; s.hits[first].at <= h.at-width; first++ {
			id := s.hits[first].id
			if s.spans[id]--; s.spans[id] == 0 {
				sum -= d.loose.weight[id]
			}
		}
		if s.spans[h.id]++; s.spans[h.id] == 1 {
			sum += d.loose.weight[h.id]
		}
		most = max(most, sum)
	}
	return most
}

// comparePairs appends what the pairs weigh that stand as in the question: at its distance, by
// their exact words as well, at its distance over a word that counts, and within eight words
// in any order.
func (c *comparer) comparePairs(d *side, to []float64) []float64 {
	var same, exact, over, window float64
	for i := range d.pairs {
		p := &d.pairs[i]
		has := c.pair(d, p)
		if p.over {
			over += p.weight * has.same
			continue
		}
		same += p.weight * has.same
		exact += p.weight * has.exact
		window += p.weight * has.window
	}
	return append(to, share(same, d.single), share(exact, d.single), share(over, d.double), share(window, d.single))
}

// pairSeen is 1 for each way in which a pair stands in the passage.
type pairSeen struct{ same, exact, window float64 }

func (c *comparer) pair(d *side, p *pair) (has pairSeen) {
	s := &c.seen
	if both := uint64(1)<<p.first | 1<<p.second; s.inside&both != both {
		return has
	}
	first, second := -farthest-1, -farthest-1 // where each was last
	for _, h := range s.hits {
		switch h.id {
		case p.first:
			first = h.at
			if at := h.at + p.distance; at < len(s.loose) && s.loose[at] == p.second {
				has.same = 1
				if c.exactly(d, h.at, p.first) && c.exactly(d, at, p.second) {
					has.exact = 1
				}
			}
		case p.second:
			second = h.at
		default:
			continue
		}
		if max(first, second)-min(first, second) <= farthest {
			has.window = 1
		}
	}
	return has
}

// exactly reports whether the word at a place is written as in the question.
func (c *comparer) exactly(d *side, at int, id int8) bool {
	exact := c.seen.exact[at]
	return exact >= 0 && d.exact.text[exact] == d.loose.spelled[id]
}

// run is a run of the question's words in the passage: the place of its last word there, and
// how many they are.
type run struct{ end, count int }

// longestRun returns how many words of the question stand in a row in the passage, at most.
// Words that only hold a sentence together are among them. One word is no run.
func (c *comparer) longestRun(d *side) float64 {
	if len(c.runs) < len(d.order) {
		c.runs = make([]run, len(d.order))
	}
	for m := range d.order {
		c.runs[m] = run{end: -2}
	}
	most := 0
	for i, id := range c.seen.loose {
		if id < 0 {
			continue
		}
		for m := len(d.order) - 1; m >= 0; m-- {
			if d.order[m] != id {
				continue
			}
			r := run{end: i, count: 1}
			if m > 0 && c.runs[m-1].end == i-1 {
				r.count += c.runs[m-1].count
				most = max(most, r.count)
			}
			c.runs[m] = r
		}
	}
	return float64(most)
}
