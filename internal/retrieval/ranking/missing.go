package ranking

import (
	"math/bits"
	"unicode/utf8"

	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// Missing returns the words and names of the question that are neither in a passage nor in its
// title and headings, as the question has them. Of a name of several words that are all missing it
// returns the name. The passage must have been ranked by this question.
func (q *Question) Missing(r *Ranked) []string {
	d, _ := q.side(r.English)
	lacks := d.loose.known() &^ r.has
	if lacks == 0 {
		return nil
	}
	out := make([]string, 0, bits.OnesCount64(lacks))
	for i := 0; i < len(q.words); i++ {
		id := d.order[i]
		if id < 0 || lacks>>id&1 == 0 || int(id) >= d.loose.content {
			continue
		}
		lacks &^= 1 << id
		w := &q.words[i]
		if w.unknown && words.Unspaced(w.Text) && utf8.RuneCountInString(w.Text) > 1 {
			continue // it may be the end of a word and the beginning of the next one
		}
		end := w.End
		for w.name && i+1 < len(q.words) && d.nameGoesOn(q, i, lacks) {
			i++
			lacks &^= 1 << d.order[i]
			end = max(end, q.words[i].End)
		}
		out = append(out, q.text[w.Start:end])
	}
	return out
}

// nameGoesOn reports whether the next word belongs to the same name, and is missing as well.
func (d *side) nameGoesOn(q *Question, i int, lacks uint64) bool {
	this, next, id := &q.words[i], &q.words[i+1], d.order[i+1]
	return next.name && id >= 0 && lacks>>id&1 == 1 && next.Start <= this.End+1
}
