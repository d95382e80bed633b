package formats

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// odfRaising knows which styles of characters raise them, of those that the content declares: programs
// make one for each text that somebody raises.
type odfRaising struct {
	style  string          // that is open
	raised map[string]bool // by the names of styles
	next   bool            // the next text is raised
}

func (r *odfRaising) visit(token xml.Token) {
	switch t := token.(type) {
	case xml.StartElement:
		switch t.Name.Local {
		case "style":
			r.style = attribute(t, "name")
		case "text-properties", "properties":
			if r.style != "" && raisesText(attribute(t, "text-position")) {
				if r.raised == nil {
					r.raised = map[string]bool{}
				}
				r.raised[r.style] = true
			}
		case "span":
			r.next = r.raised[attribute(t, "style-name")]
		}
	case xml.EndElement:
		switch t.Name.Local {
		case "style":
			r.style = ""
		case "span":
			r.next = false
		}
	}
}

// raisesText reports a position of a text above its line: "super", or how far it is raised in percent
// of its height.
func raisesText(position string) bool {
	where, _, _ := strings.Cut(position, " ")
	percent, err := strconv.ParseFloat(strings.TrimSuffix(where, "%"), 64)
	return where == "super" || err == nil && percent > 0
}
