package formats

import "encoding/xml"

// ooxmlText writes the text of a part of an Office document while its elements are read. It
// leaves out what is skipped, takes one of what is offered as alternatives, and writes formulas
// in a line.
type ooxmlText struct {
	*prose
	inText  bool     // within an element of text
	raised  bool     // the text that follows is
	skipped int      // elements that are open and not read
	choices []int    // what had been read before each alternative that is open
	read    int      // characters of text that have been read
	math    *formula // that is open; nil is none
}

// visit takes a token. opened and closed are called for the elements that are read and are not
// formulas or alternatives.
func (o *ooxmlText) visit(token xml.Token, opened func(xml.StartElement), closed func(name string)) error {
	switch t := token.(type) {
	case xml.StartElement:
		switch {
		case o.skipped > 0:
			o.skipped++
		case o.math != nil:
			o.math.open(t)
		case t.Name.Local == "oMath":
			o.math = newFormula()
		case !o.openChoice(t.Name.Local):
			opened(t)
		}
	case xml.CharData:
		switch {
		case o.skipped > 0:
		case o.math != nil:
			o.math.text(t)
		case o.inText:
			o.read += len(t)
			if o.raised && raises(o.paragraph.String(), string(t)) {
				o.paragraph.WriteByte('^')
			}
			o.raised = false
			o.paragraph.Write(t)
		}
	case xml.EndElement:
		switch {
		case o.skipped > 0:
			o.skipped--
		case o.math != nil:
			o.closeMath(t.Name.Local)
		case t.Name.Local == "AlternateContent":
			o.choices = o.choices[:max(len(o.choices)-1, 0)]
		default:
			closed(t.Name.Local)
		}
	}
	return o.check()
}

// openChoice opens an element of alternatives, of which the first that has text is read. It
// reports whether it is one.
func (o *ooxmlText) openChoice(name string) bool {
	switch name {
	case "AlternateContent":
		o.choices = append(o.choices, o.read)
	case "Choice", "Fallback":
		if n := len(o.choices); n > 0 && o.read > o.choices[n-1] {
			o.skipped++
		}
	default:
		return false
	}
	return true
}

// closeMath closes an element of a formula, which is written when it is the last.
func (o *ooxmlText) closeMath(name string) {
	if !o.math.close(name) {
		return
	}
	before := o.paragraph.Len()
	o.math.write(&o.paragraph)
	o.read += o.paragraph.Len() - before
	o.math = nil
}
