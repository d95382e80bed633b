package index

// Finds reports whether one of some terms finds a passage that allow allows, as Candidates would
// return one, which weighs all of them for that; nil allows all. Terms of Grams find none. allow
// must not keep the Meta, which is reused.
func (v *View) Finds(terms []Term, allow func(*Meta) bool) bool {
	defer keepAlive(v)
	var meta Meta
	for _, t := range terms {
		if t.Field >= postedFields {
			continue
		}
		hashed := hash(t.Text)
		for _, p := range v.parts {
			if i, ok := p.fields[t.Field].find(t.Text, hashed); ok && p.finds(p.fields[t.Field].list(i), allow, &meta) {
				return true
			}
		}
	}
	return false
}

// finds reports whether a list has a passage that is not dead and is allowed.
func (p *part) finds(l list, allow func(*Meta) bool, meta *Meta) bool {
	var at page
	for l.next(&at) {
		for i := range at.impacts {
			passage := at.number<<pageBits | uint32(at.low(i))
			if p.dead.has(passage) {
				continue
			}
			if allow == nil {
				return true
			}
			if p.meta(passage, meta); allow(meta) {
				return true
			}
		}
	}
	return false
}
