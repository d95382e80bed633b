package index

// numbering numbers hashes as they come, from 0: a table of open addressing whose memory is
// used again. Two different keys may have the same hash, so who looks one up compares it.
type numbering struct {
	hashes []uint64
	slots  []uint32 // a number plus one, or 0; at most two of three are taken
}

// slotsLeast is how many slots there are at least, slotsKept how many are cleared rather than
// let go.
const (
	slotsLeast = 256
	slotsKept  = 1 << 14
)

func (n *numbering) reset() {
	n.hashes = n.hashes[:0]
	if len(n.slots) == 0 || len(n.slots) > slotsKept {
		n.slots = make([]uint32, slotsLeast)
		return
	}
	clear(n.slots)
}

// first returns the slot in which the search for a hash begins.
func (n *numbering) first(h uint64) int { return int(h) & (len(n.slots) - 1) }

// next returns the number that has the hash in this slot or behind it, and its slot. Without
// one, found is false, and the slot is free.
func (n *numbering) next(h uint64, slot int) (number uint32, at int, found bool) {
	for ; ; slot = (slot + 1) & (len(n.slots) - 1) {
		i := n.slots[slot]
		if i == 0 {
			return 0, slot, false
		}
		if n.hashes[i-1] == h {
			return i - 1, slot, true
		}
	}
}

// behind returns the slot behind one.
func (n *numbering) behind(slot int) int { return (slot + 1) & (len(n.slots) - 1) }

// add numbers a hash in a free slot.
func (n *numbering) add(h uint64, slot int) uint32 {
	n.hashes = append(n.hashes, h)
	n.slots[slot] = uint32(len(n.hashes))
	if 3*len(n.hashes) > 2*len(n.slots) {
		n.slots = make([]uint32, 2*len(n.slots))
		for i, h := range n.hashes {
			at := n.first(h)
			for n.slots[at] != 0 {
				at = n.behind(at)
			}
			n.slots[at] = uint32(i + 1)
		}
	}
	return uint32(len(n.hashes) - 1)
}

// of returns the number of a hash that stands for its key.
func (n *numbering) of(h uint64) (number uint32, added bool) {
	number, slot, found := n.next(h, n.first(h))
	if !found {
		return n.add(h, slot), true
	}
	return number, false
}
