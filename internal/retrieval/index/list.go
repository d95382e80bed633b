package index

import "encoding/binary"

const (
	// pageBits are the bits of a passage's number inside a page.
	pageBits = 16
	// windowBits are those inside a window, for which a dense page knows the greatest impact.
	windowBits = 9
	windows    = 1 << (pageBits - windowBits)
	// dense pages have so many passages: on average two a window.
	dense = 2 * windows

	pageHead = 4 // number, passages - 1, greatest impact
)

// list is the passages that a term finds, by page. Its bytes are: how many pages there are,
// the heads of the pages, then for each its passages (16 bits each), their impacts (8 bits)
// and, where it is dense, the greatest impact of every window and where the window begins.
type list struct {
	heads, rest []byte
}

func listAt(p []byte) list {
	n := int(p[0])
	return list{heads: p[1 : 1+n*pageHead], rest: p[1+n*pageHead:]}
}

// page is the part of a list that is in one page.
type page struct {
	number   uint32
	greatest byte
	passages []byte // their last 16 bits
	impacts  []byte
	windows  []byte // the greatest impacts; nil where the page is sparse
	starts   []byte // 16 bits for each window
}

// next takes the first page from the list, and returns false when there is none.
func (l *list) next(p *page) bool {
	if len(l.heads) == 0 {
		return false
	}
	n := int(binary.LittleEndian.Uint16(l.heads[1:])) + 1
	p.number, p.greatest = uint32(l.heads[0]), l.heads[3]
	p.passages, p.impacts, l.rest = l.rest[:2*n], l.rest[2*n:3*n], l.rest[3*n:]
	p.windows, p.starts = nil, nil
	if n >= dense {
		p.windows, p.starts, l.rest = l.rest[:windows], l.rest[windows:3*windows], l.rest[3*windows:]
	}
	l.heads = l.heads[pageHead:]
	return true
}

// each calls yield with every passage and its impact, in order.
func (l list) each(yield func(passage uint32, impact byte)) {
	var p page
	for l.next(&p) {
		for i, impact := range p.impacts {
			yield(p.number<<pageBits|uint32(p.low(i)), impact)
		}
	}
}

// within calls yield with the passages from start up to end.
func (l list) within(start, end uint32, yield func(passage uint32, impact byte)) {
	for len(l.heads) > 0 && uint32(l.heads[0]) < start>>pageBits {
		l.rest = l.rest[pageSize(l.heads):]
		l.heads = l.heads[pageHead:]
	}
	var p page
	for len(l.heads) > 0 && uint32(l.heads[0])<<pageBits < end && l.next(&p) {
		first := p.number << pageBits
		for i := p.from(start); i < len(p.impacts); i++ {
			passage := first | uint32(p.low(i))
			if passage >= end {
				return
			}
			yield(passage, p.impacts[i])
		}
	}
}

// pageSize returns how many bytes a page has behind the heads.
func pageSize(head []byte) int {
	n := int(binary.LittleEndian.Uint16(head[1:])) + 1
	if n >= dense {
		return 3*n + 3*windows
	}
	return 3 * n
}

// from returns the number of the first passage that is not before this one.
func (p *page) from(passage uint32) int {
	first := p.number << pageBits
	if passage <= first {
		return 0
	}
	low, start, end := uint16(passage-first), 0, len(p.impacts)
	if w := int(low >> windowBits); p.windows != nil {
		start = int(number16(p.starts, w))
		if w+1 < windows {
			end = int(number16(p.starts, w+1))
		}
	}
	for start < end {
		if middle := int(uint(start+end) / 2); p.low(middle) < low {
			start = middle + 1
		} else {
			end = middle
		}
	}
	return start
}

// number16 returns the i-th of numbers of 16 bits.
func number16(p []byte, i int) uint16 { return binary.LittleEndian.Uint16(p[2*i:]) }

// low returns the last bits of the i-th passage.
func (p *page) low(i int) uint16 { return number16(p.passages, i) }

// appendList appends the bytes of a list. There are at most 255 pages.
func appendList(p []byte, passages []uint32, impacts []byte) []byte {
	heads := len(p) + 1
	p = append(p, 0)
	for i := 0; i < len(passages); {
		n, greatest := pageOf(passages[i:], impacts[i:])
		p = append(p, byte(passages[i]>>pageBits))
		p = binary.LittleEndian.AppendUint16(p, uint16(n-1))
		p = append(p, greatest)
		p[heads-1]++
		i += n
	}
	for i := 0; i < len(passages); {
		n, _ := pageOf(passages[i:], impacts[i:])
		for _, passage := range passages[i : i+n] {
			p = binary.LittleEndian.AppendUint16(p, uint16(passage))
		}
		p = append(p, impacts[i:i+n]...)
		if n >= dense {
			p = appendWindows(p, passages[i:i+n], impacts[i:i+n])
		}
		i += n
	}
	return p
}

// pageOf returns how many of these passages are in the page of the first, and the greatest
// of their impacts.
func pageOf(passages []uint32, impacts []byte) (n int, greatest byte) {
	for n < len(passages) && passages[n]>>pageBits == passages[0]>>pageBits {
		greatest = max(greatest, impacts[n])
		n++
	}
	return n, greatest
}

func appendWindows(p []byte, passages []uint32, impacts []byte) []byte {
	var greatest [windows]byte
	var starts [2 * windows]byte
	at := 0
	for w := range greatest {
		binary.LittleEndian.PutUint16(starts[2*w:], uint16(at))
		for ; at < len(passages) && int(uint16(passages[at]))>>windowBits == w; at++ {
			greatest[w] = max(greatest[w], impacts[at])
		}
	}
	return append(append(p, greatest[:]...), starts[:]...)
}
