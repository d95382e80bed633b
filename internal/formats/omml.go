package formats

import (
	"bytes"
	"encoding/xml"
	"strings"
)

// formula is a formula of Word that is being read. It is written in the linear format:
// a/b, x^2, √(a+b), ∑_(i=1)^n i.
type formula struct {
	nodes []*mathNode // that are open
}

// mathNode is an element of a formula.
type mathNode struct {
	name, value string // value is that of its attribute val
	chars       strings.Builder
	children    []*mathNode
	length      int  // bytes of text in it
	parts       int  // children that have text
	brackets    bool // one of them is in brackets
	compound    bool // it needs brackets
}

func newFormula() *formula { return &formula{nodes: []*mathNode{{name: "oMath"}}} }

func (f *formula) open(e xml.StartElement) {
	f.nodes = append(f.nodes, &mathNode{name: e.Name.Local, value: attribute(e, "val")})
}

func (f *formula) text(t []byte) {
	if n := f.nodes[len(f.nodes)-1]; n.name == "t" {
		n.chars.Write(t)
		n.length += len(t)
		n.compound = n.compound || bytes.ContainsAny(t, " +-−*/=<>,^_·×÷")
	}
}

// close closes an element, and reports whether it was the last one.
func (f *formula) close(string) (last bool) {
	n := len(f.nodes) - 1
	if n == 0 {
		return true
	}
	child, parent := f.nodes[n], f.nodes[n-1]
	parent.children = append(parent.children, child)
	parent.add(child)
	f.nodes = f.nodes[:n]
	return false
}

// mathObjects are the elements that are written with marks of their own.
var mathObjects = map[string]bool{"f": true, "sSup": true, "sSub": true, "sSubSup": true, "sPre": true, "nary": true, "rad": true, "func": true, "limLow": true, "limUpp": true}

// add counts what a child has.
func (n *mathNode) add(child *mathNode) {
	n.length += child.length
	if child.length == 0 {
		return
	}
	n.parts++
	n.brackets = n.brackets || child.brackets || child.name == "d"
	n.compound = n.compound || child.compound && child.name != "d" || mathObjects[child.name] || n.brackets && n.parts > 1
}

func (f *formula) write(b *strings.Builder) { f.nodes[0].write(b) }

// part returns the first child of a name; one that is not there is empty.
func (n *mathNode) part(name string) *mathNode {
	for _, c := range n.children {
		if c.name == name {
			return c
		}
	}
	return &mathNode{}
}

// property returns the value of a property, as it is written in fPr, naryPr and others.
func (n *mathNode) property(name, unless string) string {
	for _, c := range n.part(n.name + "Pr").children {
		if c.name == name {
			return c.value
		}
	}
	return unless
}

// grouped writes a part in brackets, unless it is one name, one number or in brackets.
func (n *mathNode) grouped(b *strings.Builder) {
	if !n.compound {
		n.write(b)
		return
	}
	b.WriteByte('(')
	n.write(b)
	b.WriteByte(')')
}

// script writes a part below or above, if there is one.
func (n *mathNode) script(b *strings.Builder, mark, name string) {
	if part := n.part(name); part.length > 0 {
		b.WriteString(mark)
		part.grouped(b)
	}
}

func (n *mathNode) write(b *strings.Builder) {
	switch n.name {
	case "t":
		b.WriteString(n.chars.String())
	case "f":
		n.part("num").grouped(b)
		b.WriteByte('/')
		n.part("den").grouped(b)
	case "sSup", "sSub", "sSubSup", "sPre":
		n.part("e").grouped(b)
		n.script(b, "_", "sub")
		n.script(b, "^", "sup")
	case "limLow", "limUpp":
		n.part("e").write(b)
		n.script(b, map[string]string{"limLow": "_", "limUpp": "^"}[n.name], "lim")
	case "rad":
		n.root(b)
	case "nary":
		b.WriteString(n.property("chr", "∫"))
		n.script(b, "_", "sub")
		n.script(b, "^", "sup")
		b.WriteByte(' ')
		n.part("e").write(b)
	case "func":
		n.part("fName").write(b)
		b.WriteByte(' ')
		n.part("e").write(b)
	case "d":
		b.WriteString(n.property("begChr", "("))
		n.each(b, "e", n.property("sepChr", "|"))
		b.WriteString(n.property("endChr", ")"))
	case "m":
		n.each(b, "mr", "; ")
	case "mr":
		n.each(b, "e", ", ")
	case "eqArr":
		n.each(b, "e", "; ")
	default:
		n.each(b, "", "")
	}
}

// root writes a root, with its degree before it.
func (n *mathNode) root(b *strings.Builder) {
	b.WriteString("√")
	if degree := n.part("deg"); degree.length > 0 {
		b.WriteByte('(')
		degree.write(b)
		b.WriteByte('&')
		n.part("e").write(b)
		b.WriteByte(')')
		return
	}
	n.part("e").grouped(b)
}

// each writes the children of a name, or all, with a separator between them.
func (n *mathNode) each(b *strings.Builder, name, separator string) {
	first := true
	for _, c := range n.children {
		if name != "" && c.name != name {
			continue
		}
		if !first {
			b.WriteString(separator)
		}
		first = false
		c.write(b)
	}
}
