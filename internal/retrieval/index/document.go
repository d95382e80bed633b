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
	v.runs(c.Document, func(number int, p *part, runs []run) {
		i, ok := c.place(number, p, f, term)
		if !ok {
			return
		}
		found := p.fields[f].list(i)
		for _, r := range runs {
			found.within(r.start, r.end, func(passage uint32, impact byte) {
				if !p.dead.has(passage) {
					total += int(math.Round(occurrences(impact, saturation(p.length(passage), p.head.Average)) - aroundCounts/2))
				}
			})
		}
	})
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
	v.runs(c.Document, func(_ int, p *part, runs []run) {
		for _, r := range runs {
			for passage := r.start; passage < r.end; passage++ {
				if !p.dead.has(passage) {
					total += int(p.length(passage))
				}
			}
		}
	})
	return total
}

// runs calls yield with the runs of a document in each part that has some.
func (v *View) runs(document int32, yield func(number int, p *part, runs []run)) {
	var runs []run
	for number, p := range v.parts {
		if runs = p.runsOf(document, runs[:0]); len(runs) > 0 {
			yield(number, p, runs)
		}
	}
}
