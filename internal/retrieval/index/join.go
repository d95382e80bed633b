package index

import "slices"

// Join returns a View of all passages of two, which have no ID in common.
func Join(a, b *View) *View {
	v := &View{passages: a.passages + b.passages, words: a.words + b.words, documents: a.documents + b.documents}
	v.parts = append(slices.Clone(a.parts), b.parts...)
	slices.SortStableFunc(v.parts, func(a, b *part) int { return b.len() - a.len() })
	return v
}
