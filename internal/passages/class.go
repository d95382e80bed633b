package passages

import "github.com/kappagraph/kappa/corpus"

// classOf says what a passage is, by how it is written.
func classOf(_ corpus.Passage, k kind) corpus.PassageClass {
	switch k {
	case listItem:
		return corpus.ClassList
	case tableRow:
		return corpus.ClassTable
	case code:
		return corpus.ClassCode
	}
	return corpus.ClassProse
}
