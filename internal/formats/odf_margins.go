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
