package index

// Size is what an index takes.
type Size struct {
	Passages, Segments int
	Heap               int64 // bytes in memory of its own
	Mapped             int64 // bytes of files, which the system keeps in memory as there is room
}

// Size returns what the index takes.
func (x *Index) Size() Size {
	v := x.view.Load()
	s := Size{Passages: v.passages, Segments: len(v.parts)}
	for _, p := range v.parts {
		if p.file == "" {
			s.Heap += int64(p.bytes)
		} else {
			s.Mapped += int64(p.bytes)
		}
		s.Heap += int64(8*len(p.dead) + 4*len(p.bits))
	}
	return s
}
