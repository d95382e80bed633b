package index

import (
	"runtime"
	"slices"
)

// part is a segment with its dead passages. It does not change once a View has it.
type part struct {
	*segment

	dead      bitset
	deadCount int
	deadWords int64
}

func (p *part) live() int { return p.len() - p.deadCount }

// copied returns a copy whose dead may be added to.
func (p *part) copied() *part {
	c := *p
	c.dead = p.dead.grown(p.len())
	return &c
}

// kill marks a passage as dead, and returns false when it was.
func (p *part) kill(passage uint32) bool {
	if p.dead.has(passage) {
		return false
	}
	p.dead.add(passage)
	p.deadCount++
	p.deadWords += int64(p.length(passage))
	return true
}

// each calls yield with every passage that is not dead.
func (p *part) each(yield func(passage uint32)) {
	for i := range uint32(p.len()) {
		if !p.dead.has(i) {
			yield(i)
		}
	}
}

// partsOf returns the parts of segments that were found in a folder. Passages that are in
// several of them are dead in all: which is the newest is not known, and who follows the
// tables adds what lacks.
func partsOf(segments []*segment) []*part {
	parts := make([]*part, len(segments))
	var all []uint64
	for i, s := range segments {
		parts[i] = &part{segment: s}
		for passage := range uint32(s.len()) {
			all = append(all, uint64(uint32(s.id(passage)))<<32|uint64(i))
		}
	}
	slices.Sort(all)
	for i := 1; i < len(all); i++ {
		if all[i]>>32 != all[i-1]>>32 {
			continue
		}
		for _, one := range all[i-1 : i+1] {
			p := parts[uint32(one)]
			if passage, ok := p.find(int32(one >> 32)); ok {
				if p.dead == nil {
					*p = *p.copied()
				}
				p.kill(passage)
			}
		}
	}
	return parts
}

// keepAlive keeps the files of a View mapped up to here.
func keepAlive(v *View) { runtime.KeepAlive(v) }
