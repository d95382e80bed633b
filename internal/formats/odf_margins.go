package formats

import (
	"encoding/xml"
	"strings"
)

// odfMargins reads the headers and footers of a text, which are of the styles of its pages.
type odfMargins struct {
	margins pageMargins
	pages   int  // elements with the styles of pages that are open
	depth   int  // elements that are open within the header or the footer, with itself
	open    *odf // what is being read; nil is none
}

func (m *odfMargins) visit(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		name := t.Name.Local
		switch {
		case m.open != nil:
			m.depth++
		case name == "master-styles":
			m.pages++
		case m.pages > 0 && (name == "header" || name == "footer" || strings.HasPrefix(name, "header-") || strings.HasPrefix(name, "footer-")):
			m.open, m.depth = &odf{prose: &prose{}}, 1
			return nil
		}
	case xml.EndElement:
		if m.open == nil {
			if t.Name.Local == "master-styles" {
				m.pages--
			}
			return nil
		}
		if m.depth--; m.depth == 0 {
			m.margins.add(m.open.finish())
			m.open = nil
			return nil
		}
	}
	if m.open == nil {
		return nil
	}
	return m.open.visit(token)
}

// odfDeclared reads the headers and footers of a presentation, which are declared before its
// slides: each slide names those that it shows.
type odfDeclared struct {
	margins pageMargins
	open    bool
	text    strings.Builder
}

func (d *odfDeclared) visit(token xml.Token) {
	switch t := token.(type) {
	case xml.StartElement:
		if name := t.Name.Local; name == "footer-decl" || name == "header-decl" {
			d.open = true
			d.text.Reset()
		}
	case xml.CharData:
		if d.open {
			d.text.Write(t)
		}
	case xml.EndElement:
		if d.open {
			d.margins.add(d.text.String())
			d.open = false
		}
	}
}
