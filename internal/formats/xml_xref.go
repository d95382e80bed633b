package formats

import (
	"cmp"
	"context"
	"encoding/xml"
	"strings"
)

// fictionSilent are elements of FictionBook that no reader sees: which program wrote the book, and
// what catalogs sort it by.
var fictionSilent = map[string]bool{"document-info": true, "genre": true, "lang": true, "src-lang": true}

// xrefNames are the elements of DocBook that say what the one around them is called.
var xrefNames = map[string]bool{"title": true, "command": true, "function": true, "term": true, "refentrytitle": true}

// maxXref is how much is shown of what a reference refers to, in bytes.
const maxXref = 256

// xrefTarget is an element that is open and may be referred to.
type xrefTarget struct {
	id          string
	label       string // what it wants to be called
	title, said strings.Builder
}

// xrefTargets are the elements of a document that may be referred to.
type xrefTargets struct {
	open         []*xrefTarget     // each element that is open
	naming       int               // elements that say what another is called and are open
	named        *xrefTarget       // the one that they are of
	called, said map[string]string // by the identifiers
}

// readTargets reads what elements are called, and what they say. What could be read of a broken
// document counts.
func readTargets(ctx context.Context, body []byte) *xrefTargets {
	x := xrefTargets{called: map[string]string{}, said: map[string]string{}}
	decoder := xmlDecoder(body)
	for ctx.Err() == nil && len(x.open) <= maxDepth {
		token, err := decoder.Token()
		if err != nil {
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			x.begin(t)
		case xml.EndElement:
			x.end()
		case xml.CharData:
			x.chars(string(t))
		}
	}
	return &x
}

// shown returns what a reference of DocBook shows: what the element says that it names, or else what
// it refers to is called.
func (x *xrefTargets) shown(e xml.StartElement) string {
	return cmp.Or(x.said[attribute(e, "endterm")], x.called[attribute(e, "linkend")])
}

func (x *xrefTargets) begin(e xml.StartElement) {
	if x.naming > 0 {
		x.naming++
	} else if n := len(x.open) - 1; n >= 0 && xrefNames[e.Name.Local] && x.open[n].title.Len() == 0 {
		x.naming, x.named = 1, x.open[n]
	}
	x.open = append(x.open, &xrefTarget{id: attribute(e, "id"), label: attribute(e, "xreflabel")})
}

func (x *xrefTargets) end() {
	n := len(x.open) - 1
	if n < 0 {
		return
	}
	if x.naming > 0 {
		x.naming--
	}
	t := x.open[n]
	x.open = x.open[:n]
	if t.id != "" {
		x.called[t.id] = cmp.Or(t.label, oneLine(t.title.String()))
		x.said[t.id] = oneLine(t.said.String())
	}
}

func (x *xrefTargets) chars(text string) {
	text = strings.ToValidUTF8(text[:min(len(text), maxXref)], "")
	for _, t := range x.open {
		if t.id != "" && t.said.Len() < maxXref {
			t.said.WriteString(text)
		}
	}
	if x.naming > 0 && x.named.title.Len() < maxXref {
		x.named.title.WriteString(text)
	}
}
