package index

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// search finds the best passages of a query, page by page. In every window of a page it knows
// the most that each term can contribute. The terms whose contributions together are not enough
// to be among the best are looked up only for passages that the other terms find (MaxScore), and
// windows in which all terms together are not enough are left out.
type search struct {
	ctx     context.Context //nolint:containedctx // of one call: the scratch outlives it, not the context
	allow   func(*Meta) bool
	best    top[place]
	meta    Meta
	lists   []pageList
	order   []*pageList      // of the page at hand, those that can contribute the least first
	most    [windows]float32 // what a passage of each window of the page can weigh
	bounds  []float32        // of the window at hand: what the first lists can contribute together
	scores  windowScores     // of its passages
	touched []uint16         // those that a term has found
}

// place is where a passage is.
type place struct {
	part    *part
	passage uint32
}

// scratches are searches that are not used at the moment.
var scratches = sync.Pool{New: func() any { return &search{} }}

func (s *search) begin(ctx context.Context, q *Query) {
	s.ctx, s.allow = ctx, q.Allow
	s.best.most, s.best.heap = q.Limit, s.best.heap[:0]
}

// end lets go of the View, and keeps the memory.
func (s *search) end() {
	s.ctx, s.allow = nil, nil
	clear(s.best.heap[:cap(s.best.heap)])
	clear(s.lists[:cap(s.lists)])
	scratches.Put(s)
}

// searchPart looks for better passages in a part.
func (s *search) searchPart(p *part, terms []weighedTerm, number int) error {
	s.lists = s.lists[:0]
	for i := range terms {
		t := &terms[i]
		if t.at[number] == 0 {
			continue
		}
		l := pageList{list: p.fields[t.field].list(t.at[number] - 1), weight: t.weight}
		if l.advance() {
			s.lists = append(s.lists, l)
		}
	}
	for {
		lowest := uint32(none)
		for i := range s.lists {
			if s.lists[i].valid {
				lowest = min(lowest, s.lists[i].page.number)
			}
		}
		if lowest == none {
			return nil
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
		s.searchPage(p, lowest)
	}
}

// searchPage looks for better passages in a page, and moves its lists to the next.
func (s *search) searchPage(p *part, number uint32) {
	s.order = s.order[:0]
	total := float32(0)
	for i := range s.lists {
		if l := &s.lists[i]; l.valid && l.page.number == number {
			s.order = append(s.order, l)
			total += l.weight * float32(l.page.greatest)
		}
	}
	if total > s.best.least() {
		slices.SortFunc(s.order, func(a, b *pageList) int {
			return cmp.Compare(a.weight*float32(a.page.greatest), b.weight*float32(b.page.greatest))
		})
		s.most = [windows]float32{}
		for _, l := range s.order {
			l.bounds(&s.most)
		}
		for w, most := range s.most {
			if most > s.best.least() && s.enter(w) > s.best.least() {
				s.searchWindow(p, number<<pageBits|uint32(w)<<windowBits)
			}
		}
	}
	for _, l := range s.order {
		l.advance()
	}
}

// enter moves the lists to a window, and returns the most that a passage in it can weigh.
func (s *search) enter(window int) float32 {
	s.bounds = s.bounds[:0]
	total := float32(0)
	for _, l := range s.order {
		total += l.enter(window)
		s.bounds = append(s.bounds, total)
	}
	return total
}

// searchWindow looks for better passages in the window at hand.
func (s *search) searchWindow(p *part, base uint32) {
	first := 0 // the first list that can bring a passage among the best
	for s.bounds[first] <= s.best.least() {
		first++
	}
	s.touched = s.touched[:0]
	for _, l := range s.order[first:] {
		s.touched = l.find(&s.scores, s.touched)
	}
	for i := first - 1; i >= 0 && len(s.touched) > 0; i-- {
		if s.drop(s.bounds[i]); len(s.touched) > 0 {
			s.order[i].add(&s.scores, s.touched)
		}
	}
	for _, low := range s.touched {
		if score := s.scores[low]; score > s.best.least() {
			s.keep(p, base|uint32(low), score)
		}
	}
	clear(s.scores[:])
}

// drop drops the passages that are not among the best with so much more.
func (s *search) drop(more float32) {
	least, kept := s.best.least()-more, s.touched[:0]
	for _, low := range s.touched {
		if s.scores[low] > least {
			kept = append(kept, low)
		}
	}
	s.touched = kept
}

// keep keeps a passage, unless it is dead or not allowed.
func (s *search) keep(p *part, passage uint32, score float32) {
	if p.dead.has(passage) {
		return
	}
	if s.allow != nil {
		p.meta(passage, &s.meta)
		if !s.allow(&s.meta) {
			return
		}
	}
	s.best.push(score, place{p, passage})
}
