package formats

import (
	"encoding/xml"
	"strings"
)

// rtfMath are the elements of formulas that have text, or elements with text, in them. Their words
// are those of Word's XML with an m before them.
var rtfMath = map[string]bool{
	"f": true, "num": true, "den": true, "sSup": true, "sSub": true, "sSubSup": true, "sPre": true, "e": true, "sub": true, "sup": true,
	"nary": true, "naryPr": true, "chr": true, "rad": true, "deg": true, "func": true, "fName": true, "limLow": true, "limUpp": true, "lim": true,
	"d": true, "dPr": true, "begChr": true, "endChr": true, "sepChr": true, "m": true, "mr": true, "eqArr": true, "r": true,
	"acc": true, "bar": true, "box": true, "borderBox": true, "groupChr": true, "phant": true,
}

// mathElement takes the first word of a group within a formula, or the one that begins one, and
// reports whether it is an element that is read. Others have no words: how their parts are set.
func (r *rtf) mathElement(word string) bool {
	switch name, found := strings.CutPrefix(word, "m"); {
	case r.math == nil && word == "moMath":
		r.math = newFormula()
	case r.math == nil || !found:
		return false
	case rtfMath[name]:
		r.math.open(xml.StartElement{Name: xml.Name{Local: name}})
	case strings.HasSuffix(name, "Pr"), strings.HasSuffix(r.math.innermost(), "Pr"):
		r.state.into = rtfNothing
		return true
	default:
		return false
	}
	r.state.inMath = true
	return true
}

// innermost returns the name of the element that is open.
func (f *formula) innermost() string { return f.nodes[len(f.nodes)-1].name }

// take takes text of rich text: it is what the element is named by, or a run of the formula.
func (f *formula) take(s string) {
	n := f.nodes[len(f.nodes)-1]
	if len(f.nodes) > 1 && strings.HasSuffix(f.nodes[len(f.nodes)-2].name, "Pr") {
		n.value += s
		return
	}
	f.open(xml.StartElement{Name: xml.Name{Local: "t"}})
	f.text([]byte(s))
	f.close("t")
}

// closeMath closes an element of a formula, which is written when it is the last.
func (r *rtf) closeMath() {
	if r.math == nil || !r.math.close("") {
		return
	}
	m := r.math
	r.math = nil
	m.write(&r.paragraph)
}

// endFormula closes a formula that the document does not end.
func (r *rtf) endFormula() {
	for r.math != nil {
		r.closeMath()
	}
}
