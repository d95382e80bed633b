package index

// Passage returns the passage with an ID, without a score; false when there is none.
func (v *View) Passage(id int32) (Candidate, bool) {
	defer keepAlive(v)
	for _, p := range v.parts {
		if at, ok := p.find(id); ok && !p.dead.has(at) {
			return candidate(p, at, 0), true
		}
	}
	return Candidate{}, false
}
