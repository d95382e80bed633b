package index

import "math"

// countedMost is how many passages of a term are counted one by one where some are dead.
const countedMost = 256

// Frequency returns how many passages have a term, in them or around them. Texts are counted
// in all passages, Stems and Prefixes in those that are found by them, Grams without what is
// around. Passages that were removed since their segment was written, at most a fifth of it,
// are left out exactly where a term finds no more than 256 of its passages; else in
// proportion, as are all Texts of English passages and Grams.
func (v *View) Frequency(f Field, term string) int {
	defer keepAlive(v)
	total, hashed := 0, hash(term)
	for _, p := range v.parts {
		if f == Grams {
			total += p.share(p.gramFrequency(hashed))
			continue
		}
		if i, ok := p.fields[f].find(term, hashed); ok {
			total += p.frequency(f, i)
		}
	}
	return total
}

// frequency returns how many living passages have term i.
func (p *part) frequency(f Field, i int) int {
	d := &p.fields[f]
	all := d.frequency(i)
	if p.deadCount == 0 || all > countedMost {
		return p.share(all)
	}
	found, living := 0, 0
	d.list(i).each(func(passage uint32, _ byte) {
		found++
		if !p.dead.has(passage) {
			living++
		}
	})
	return living + p.share(all-found)
}

// share returns the part of a count that living passages have.
func (p *part) share(count int) int {
	if p.deadCount == 0 || count == 0 {
		return count
	}
	return int(math.Round(float64(count) * float64(p.live()) / float64(p.len())))
}
