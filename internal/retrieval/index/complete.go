package index

import (
	"cmp"
	"slices"
	"strings"
)

// Completion is a word that begins as asked, with the number of passages that have it.
type Completion struct {
	Text     string
	Passages int
}

// completedOf is how many more words each segment is asked for than are returned: what is
// frequent in one only is weighed with what it has in the others.
const completedOf = 4

// Complete returns the words that begin so, those that most passages have first.
func (v *View) Complete(prefix string, most int) []Completion {
	defer keepAlive(v)
	known := map[string]bool{}
	for _, p := range v.parts {
		d := &p.fields[Texts]
		from := d.from(prefix)
		to := d.len()
		if next := behind(prefix); next != "" {
			to = d.from(next)
		}
		for _, i := range frequentest(d, from, to, most*completedOf) {
			if !known[d.term(i)] {
				known[strings.Clone(d.term(i))] = true
			}
		}
	}
	all := make([]Completion, 0, len(known))
	for text := range known {
		if n := v.Frequency(Texts, text); n > 0 {
			all = append(all, Completion{text, n})
		}
	}
	slices.SortFunc(all, func(a, b Completion) int {
		return cmp.Or(-cmp.Compare(a.Passages, b.Passages), cmp.Compare(a.Text, b.Text))
	})
	return all[:min(len(all), most)]
}

// behind returns the first string that is behind all that begin so, and "" when there is none.
func behind(prefix string) string {
	p := []byte(prefix)
	for len(p) > 0 {
		if last := len(p) - 1; p[last] < 0xff {
			p[last]++
			return string(p)
		}
		p = p[:len(p)-1]
	}
	return ""
}

// frequentest returns the terms between two numbers that most passages have.
func frequentest(d *dictionary, from, to, most int) []int {
	best := newTop[int](most)
	for i := from; i < to; i++ {
		if n := float32(d.frequency(i)); n > best.least() {
			best.push(n, i)
		}
	}
	return best.values()
}
