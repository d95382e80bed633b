package index

// pageList goes through the pages of a term in a part.
type pageList struct {
	list   list
	page   page
	valid  bool    // page is one
	weight float32 // of an impact of one step
	count  int     // of passages in the page
	next   int     // sparse pages: where the next window begins, or before
	// In the window at hand: its passages, and the most that they weigh.
	start, end int
	bound      float32
}

// windowScores are what the passages of a window weigh.
type windowScores [1 << windowBits]float32

const inWindow = 1<<windowBits - 1

// advance goes to the next page.
func (l *pageList) advance() bool {
	l.valid = l.list.next(&l.page)
	l.count, l.next = len(l.page.impacts), 0
	return l.valid
}

// bounds adds the most that a passage of each window weighs by this list.
func (l *pageList) bounds(most *[windows]float32) {
	if len(l.page.windows) == windows {
		for w, greatest := range l.page.windows {
			most[w] += l.weight * float32(greatest)
		}
		return
	}
	window, greatest := 0, byte(0)
	for i, impact := range l.page.impacts {
		if w := int(l.page.low(i) >> windowBits); w != window {
			most[window] += l.weight * float32(greatest)
			window, greatest = w, 0
		}
		greatest = max(greatest, impact)
	}
	most[window] += l.weight * float32(greatest)
}

// enter moves to a window, and returns the most that a passage in it weighs.
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
	for l.next < l.count && int(l.page.low(l.next)>>windowBits) < window {
		l.next++
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

// find adds what the passages of the window weigh to their scores, and appends those that had
// none.
func (l *pageList) find(scores *windowScores, touched []uint16) []uint16 {
	passages, impacts := l.page.passages[2*l.start:2*l.end], l.page.impacts[l.start:l.end]
	for i, impact := range impacts {
		low := number16(passages, i) & inWindow
		if scores[low] == 0 {
			touched = append(touched, low)
		}
		scores[low] += l.weight * float32(impact)
	}
	return touched
}

// scanned is how many passages of a list are looked at in the time that one is searched for.
const scanned = 8

// add adds what these passages of the window weigh to their scores. Others may get one, too.
func (l *pageList) add(scores *windowScores, touched []uint16) {
	passages, impacts := l.page.passages[2*l.start:2*l.end], l.page.impacts[l.start:l.end]
	if len(touched)*scanned > len(impacts) {
		for i, impact := range impacts {
			scores[number16(passages, i)&inWindow] += l.weight * float32(impact)
		}
		return
	}
	for _, low := range touched {
		start, end := 0, len(impacts)
		for start < end {
			middle := int(uint(start+end) / 2)
			if number16(passages, middle)&inWindow < low {
				start = middle + 1
			} else {
				end = middle
			}
		}
		if start < len(impacts) && number16(passages, start)&inWindow == low {
			scores[low] += l.weight * float32(impacts[start])
		}
	}
}
