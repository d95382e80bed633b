package adjacency

// maxKinds is how many kinds the dictionary holds.
const maxKinds = 1 << 16

// kind is what two edges of the same page may share.
type kind struct {
	link       link
	confidence float32
}

// link is a relationship type and a direction: type × 2, and 1 more when the
// edge points away from the concept in whose row it stands.
type link uint32

func newLink(t int32, forward bool) link {
	l := link(t) << 1
	if forward {
		l |= 1
	}
	return l
}

func (l link) typ() int32    { return int32(l >> 1) }
func (l link) forward() bool { return l&1 == 1 }

// kinds is the dictionary of kinds, for the one who writes. Nothing leaves it,
// so that list can be shared with views, which keep its length of their moment.
type kinds struct {
	list  []kind
	place map[kind]uint16
}

func newKinds() *kinds { return &kinds{place: map[kind]uint16{}} }

// find returns the place of k, and adds it while there is room; -1 without.
func (d *kinds) find(k kind) int32 {
	if at, known := d.place[k]; known {
		return int32(at)
	}
	if len(d.list) == maxKinds {
		return -1
	}
	at := uint16(len(d.list))
	d.list = append(d.list, k)
	d.place[k] = at
	return int32(at)
}

// bytes estimates what the dictionary takes.
func (d *kinds) bytes() int64 { return int64(cap(d.list))*8 + int64(len(d.place))*24 }
