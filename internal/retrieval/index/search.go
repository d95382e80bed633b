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
	order   []*pageList // of the page at hand, those that can contribute the least first
	bounds  []float32   // of the window at hand: what the first lists can contribute together
	scores  [1 << windowBits]float32
	touched []uint16
}

// place is where a passage is.
type place struct {
	part    *part
	passage uint32
}

// pageList goes through the pages of a term in a part.
type pageList struct {
	list   list
	page   page
	valid  bool    // page is one
	weight float32 // of an impact of one step
	count  int     // of passages in the page
	next   int     // sparse pages: the first passage behind the last window
	// In the window at hand: its passages, and the most that they weigh.
	start, end int
	bound      float32
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

// advance goes to the next page.
func (l *pageList) advance() bool {
	l.valid = l.list.next(&l.page)
	l.count, l.next = len(l.page.impacts), 0
	return l.valid
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
		for w := range windows {
			if s.enter(w) > s.best.least() {
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

func (l *pageList) enter(window int) float32 {
	if l.page.windows != nil {
		l.bound = l.weight * float32(l.page.windows[window])
		if l.bound == 0 {
			l.start, l.end = 0, 0
			return 0
		}
		l.start, l.end = int(number16(l.page.starts, window)), l.count
		if window+1 < windows {
			l.end = int(number16(l.page.starts, window+1))
		}
		return l.bound
	}
	l.start = l.next
	greatest := byte(0)
	for l.next < l.count && int(l.page.low(l.next)>>windowBits) == window {
		greatest = max(greatest, l.page.impacts[l.next])
		l.next++
	}
	l.end = l.next
	l.bound = l.weight * float32(greatest)
	return l.bound
}

// searchWindow looks for better passages in the window at hand.
func (s *search) searchWindow(p *part, base uint32) {
	first := 0 // the first list that can bring a passage among the best
	for s.bounds[first] <= s.best.least() {
		first++
	}
	s.touched = s.touched[:0]
	for _, l := range s.order[first:] {
		for i := l.start; i < l.end; i++ {
			low := l.page.low(i) & (1<<windowBits - 1)
			if s.scores[low] == 0 {
				s.touched = append(s.touched, low)
			}
			s.scores[low] += l.weight * float32(l.page.impacts[i])
		}
	}
	for _, low := range s.touched {
		score := s.scores[low]
		s.scores[low] = 0
		s.weigh(p, base|uint32(low), score, first)
	}
}

// weigh adds what the first lists contribute to a passage, and keeps it when it is good enough.
func (s *search) weigh(p *part, passage uint32, score float32, first int) {
	for i := first - 1; i >= 0; i-- {
		if score+s.bounds[i] <= s.best.least() {
			return
		}
		score += s.order[i].contribution(uint16(passage))
	}
	if score <= s.best.least() || p.dead.has(passage) {
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

// contribution returns what a passage of the window at hand weighs by a list.
func (l *pageList) contribution(low uint16) float32 {
	start, end := l.start, l.end
	for start < end {
		middle := int(uint(start+end) / 2)
		if l.page.low(middle) < low {
			start = middle + 1
		} else {
			end = middle
		}
	}
	if start < l.end && l.page.low(start) == low {
		return l.weight * float32(l.page.impacts[start])
	}
	return 0
}
