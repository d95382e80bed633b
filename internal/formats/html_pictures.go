package formats

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// describePictures writes what is said of the pictures of a page in their place, in brackets. What
// the page says in its text too is not written twice: the title of an article that its picture bears
// as well, and a formula that is a picture for old browsers.
func describePictures(root *html.Node) {
	said := map[string]bool{}
	var pictures []*html.Node
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode:
			said[oneLine(n.Data)] = true
		case n.Type == html.ElementNode && n.DataAtom == atom.Img && n.Parent != nil:
			pictures = append(pictures, n)
		}
	}
	for _, n := range pictures {
		text := altText(valueOf(n, "alt"))
		if text == "" || said[text] || attributeOf(n, "aria-hidden") == "true" || beside(n, atom.Math) {
			continue
		}
		said[text] = true
		n.Parent.InsertBefore(&html.Node{Type: html.TextNode, Data: " [" + text + "] "}, n)
	}
}

// beside reports whether an element before another, or before what it is in, is or begins with one
// of a kind.
func beside(n *html.Node, kind atom.Atom) bool {
	before := n.PrevSibling
	if before != nil && before.Type == html.TextNode && strings.TrimSpace(before.Data) == "" {
		before = before.PrevSibling
	}
	return before != nil && (before.DataAtom == kind || before.FirstChild != nil && before.FirstChild.DataAtom == kind)
}

// valueOf returns the value of an attribute as it is written.
func valueOf(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
