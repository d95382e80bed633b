package index

import "math"

// InDocument returns how often the document of a candidate has a term of the fields by which
// its passages are found. Up to ten times in a passage it is exact.
func (v *View) InDocument(c *Candidate, f Field, term string) int {
	if f >= postedFields {
		return 0
	}
	defer keepAlive(v)
	total := 0
	for number, p := range v.parts {
		run, end := p.runsOf(c.Document)
		if run == end {
			continue
		}
		i, ok := c.place(number, p, f, term)
		if !ok {
			continue
		}
		found := p.fields[f].list(i)
		for ; run < end; run++ {
			r := p.run(run)
			found.within(r.start, r.end, func(passage uint32, impact byte) {
				if !p.dead.has(passage) {
					total += int(math.Round(occurrences(impact, saturation(p.length(passage), p.head.Average)) - aroundCounts/2))
				}
			})
		}
	}
	return total
}

// place returns the number of a term in a part of the View.
func (c *Candidate) place(number int, p *part, f Field, term string) (int, bool) {
	for i := range c.known {
		if t := &c.known[i]; t.field == f && t.text == term {
			return t.at[number] - 1, t.at[number] > 0
		}
	}
	return p.fields[f].find(term, hash(term))
}

// DocumentWords returns how many words the document of a candidate has.
func (v *View) DocumentWords(c *Candidate) int {
	defer keepAlive(v)
	total := 0
	for _, p := range v.parts {
		for run, end := p.runsOf(c.Document); run < end; run++ {
			r := p.run(run)
			for passage := r.start; passage < r.end; passage++ {
				if !p.dead.has(passage) {
					total += int(p.length(passage))
				}
			}
		}
	}
	return total
}
