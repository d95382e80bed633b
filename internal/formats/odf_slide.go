package formats

import (
	"context"
	"encoding/xml"
	"strings"
)

// beginSlide begins a slide, its notes, or its title.
func (d *odf) beginSlide(e xml.StartElement) {
	switch e.Name.Local {
	case "page":
		if !strings.Contains(e.Name.Space, "drawing") && e.Name.Space != "" || len(d.outer) > 0 {
			return // an attribute of something else
		}
		d.slide = odfSlide{number: d.slide.number + 1, prose: d.prose}
		d.prose = &prose{}
	case "frame":
		if attribute(e, "class") == "title" && d.slide.prose != nil && len(d.outer) == 0 {
			d.inTitle = 1
		}
	case "notes":
		d.push("notes", "Notes")
	}
}

// endSlide ends a slide, or its notes.
func (d *odf) endSlide(name string) {
	if name == "notes" {
		d.pop(name)
		return
	}
	if d.slide.prose == nil || len(d.outer) > 0 {
		return
	}
	text := d.prose.finish()
	d.prose = d.slide.prose
	d.slide.prose = nil
	d.prose.text.WriteString(slideHeading(d.slide.number, d.slide.title) + text)
}

// odfFormula returns the formula that an object is, or "" when it is none or another object.
func odfFormula(ctx context.Context, archive parts, object string) string {
	name := object + "/" + odfBody
	if !archive.has(name) {
		return ""
	}
	var m mathML
	if err := archive.visit(ctx, name, m.visit); err != nil {
		return ""
	}
	return m.text()
}

// mathML writes a formula in MathML in the linear format.
type mathML struct {
	formula *formula
	skipped int
}

// mathNames are the elements of MathML, by what the same is in Word.
var mathNames = map[string]string{"mi": "t", "mn": "t", "mo": "t", "mtext": "t", "mfrac": "f", "msup": "sSup", "msub": "sSub", "msubsup": "sSubSup", "msqrt": "rad", "munder": "limLow", "mover": "limUpp", "munderover": "sSubSup", "mroot": "rad"}

// mathParts are the names of what is in elements of MathML, in their order.
var mathParts = map[string][]string{
	"f": {"num", "den"}, "sSup": {"e", "sup"}, "sSub": {"e", "sub"}, "sSubSup": {"e", "sub", "sup"}, "limLow": {"e", "lim"}, "limUpp": {"e", "lim"}, "mroot": {"e", "deg"},
}

func (m *mathML) visit(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		switch {
		case m.skipped > 0 || t.Name.Local == "annotation":
			m.skipped++
		case m.formula == nil && t.Name.Local != "math":
			return errFound // another object
		case m.formula == nil:
			m.formula = newFormula()
		default:
			name := t.Name.Local
			if known := mathNames[name]; known != "" {
				name = known
			}
			m.formula.nodes = append(m.formula.nodes, &mathNode{name: name, value: t.Name.Local})
		}
	case xml.CharData:
		if m.skipped == 0 && m.formula != nil {
			m.formula.text([]byte(strings.TrimSpace(string(t))))
		}
	case xml.EndElement:
		if m.skipped > 0 {
			m.skipped--
		} else if m.formula != nil {
			m.end()
		}
	}
	return nil
}

// end closes an element, whose children get the names that they have in Word.
func (m *mathML) end() {
	n := m.formula.nodes[len(m.formula.nodes)-1]
	if m.formula.close("") {
		return
	}
	names := mathParts[n.name]
	switch n.value {
	case "msqrt":
		n.children = []*mathNode{{name: "e", children: n.children, length: n.length, compound: n.compound}}
	case "mroot":
		names = mathParts["mroot"]
	}
	for i := range min(len(names), len(n.children)) {
		c := n.children[i]
		n.children[i] = &mathNode{name: names[i]}
		n.children[i].children = []*mathNode{c}
		n.children[i].add(c)
	}
}

func (m *mathML) text() string {
	if m.formula == nil {
		return ""
	}
	var b strings.Builder
	m.formula.write(&b)
	return b.String()
}
