package ranking

import (
	"maps"
	"math"
	"slices"

	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// side is the question as passages of one kind are compared with it: by loose forms of its
// words (stems, or first letters) and by exact ones.
type side struct {
	loose, exact terms
	pairs        []pair
	order        []int8          // of the words of the question, the loose terms
	nearOf       map[string]int8 // words that stand for others, by the place of these in stands
	stands       []uint64
	names        uint64 // the loose terms that are names
	numbers      uint64
	single       float64 // the pairs' weight, and that of pairs over a word
	double       float64
	filter       [256]uint64 // a bit for how each of its words may begin
}

// terms are the distinct forms of the question's words. Those from content on hold the
// sentence together and weigh nothing.
type terms struct {
	field    index.Field
	text     []string
	id       map[string]int8
	weight   []float64
	passages []int // that have it, of those that count
	content  int
	sum      float64
	spelled  []string // of each, the first word of the question that has it
}

// pair is two words of the question with their distance.
type pair struct {
	first, second int8
	distance      int
	weight        float64
	over          bool // a word that counts is between them
}

func form(w *words.Word, f index.Field) string {
	switch f {
	case index.Stems:
		return w.Stem
	case index.Prefixes:
		return words.Prefix(w.Text)
	}
	return w.Text
}

func newTerms(all []asked, s Statistics, f index.Field) terms {
	t := terms{field: f, id: make(map[string]int8, len(all))}
	for _, function := range []bool{false, true} {
		for i := range all {
			a := &all[i]
			text := form(&a.Word, f)
			if _, ok := t.id[text]; ok || a.function != function || len(t.text) == mostTerms {
				continue
			}
			t.id[text] = int8(len(t.text))
			t.text = append(t.text, text)
			t.spelled = append(t.spelled, a.Text)
			weight := 0.0
			if !function {
				n := s.Frequency(f, text)
				t.passages = append(t.passages, n)
				weight = rarity(float64(s.Passages()), n)
				t.content++
			}
			t.weight = append(t.weight, weight)
			t.sum += weight
		}
	}
	return t
}

func newSide(all []asked, s Statistics, loose, exact index.Field) side {
	d := side{loose: newTerms(all, s, loose), exact: newTerms(all, s, exact)}
	for i := range all {
		id, ok := d.loose.id[form(&all[i].Word, loose)]
		if !ok {
			id = -1
		}
		d.order = append(d.order, id)
	}
	for i := range all {
		a, id := &all[i], d.order[i]
		if id < 0 || int(id) >= d.loose.content {
			continue
		}
		if a.name {
			d.names |= 1 << id
		}
		if a.number {
			d.numbers |= 1 << id
		}
		for _, near := range a.near {
			d.standFor(near, 1<<id)
		}
		if a.joined != "" {
			d.standFor(a.joined, 1<<id)
			if next := d.order[i+1]; next >= 0 && int(next) < d.loose.content {
				d.standFor(a.joined, 1<<next)
			}
		}
	}
	for _, list := range [][]string{d.loose.text, d.exact.text, slices.Collect(maps.Keys(d.nearOf))} {
		for _, text := range list {
			h := begin(text)
			d.filter[h>>6] |= 1 << (h & 63)
		}
	}
	d.addPairs()
	return d
}

// standFor says that a word of a passage stands for a set of terms.
func (d *side) standFor(text string, set uint64) {
	if d.nearOf == nil {
		d.nearOf = map[string]int8{}
	}
	at, ok := d.nearOf[text]
	if !ok {
		if len(d.stands) > math.MaxInt8 {
			return
		}
		at = int8(len(d.stands))
		d.nearOf[text] = at
		d.stands = append(d.stands, 0)
	}
	d.stands[at] |= set
}

// begin returns fourteen bits for how a word begins.
func begin(text string) uint32 {
	switch len(text) {
	case 0:
		return 0
	case 1:
		return uint32(text[0])
	}
	return (uint32(text[0])<<7 ^ uint32(text[1])) & (1<<14 - 1)
}

// mayHave reports, without looking, whether a word may be one of the question.
func (d *side) mayHave(text string) bool {
	h := begin(text)
	return d.filter[h>>6]&(1<<(h&63)) != 0
}

// farthest is the distance up to which two words of a question make a pair.
const farthest = 8

func (d *side) addPairs() {
	var counted []int // the words that count, by their place in the question
	for i, id := range d.order {
		if id >= 0 && int(id) < d.loose.content {
			counted = append(counted, i)
		}
	}
	for n, i := range counted {
		for step := 1; step <= 2 && n+step < len(counted); step++ {
			j := counted[n+step]
			p := pair{first: d.order[i], second: d.order[j], distance: j - i, over: step == 2}
			p.weight = d.loose.weight[p.first] + d.loose.weight[p.second]
			if p.first == p.second || p.distance > farthest || len(d.pairs) == 2*mostTerms {
				continue
			}
			d.pairs = append(d.pairs, p)
			if p.over {
				d.double += p.weight
			} else {
				d.single += p.weight
			}
		}
	}
}

func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}

// side returns what passages in English, or in other languages, are compared with.
func (q *Question) side(english bool) (d *side, which int) {
	if english {
		return &q.stems, 0
	}
	return &q.other, 1
}
