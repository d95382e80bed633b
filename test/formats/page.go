package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// page takes the headings and the rows from the elements of a page.
func (p *peerText) page(body []byte) {
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return
	}
	for n := range root.Descendants() {
		switch n.Data {
		case "h1", "h2", "h3", "h4", "h5", "h6":
			p.headings = append(p.headings, joined(textOf(n)))
		case "tr":
			if !strings.Contains(textOf(n), "\n\n") {
				p.rows = append(p.rows, joined(textOf(n)))
			}
		}
	}
}

// pageText returns the text of a page that pandoc wrote, with what is said of its pictures.
func pageText(body []byte) string {
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return ""
	}
	describeOnce(root)
	return textOf(root)
}

// writerText returns the text of a page that LibreOffice's word processor wrote. What it says of
// pictures are the names of their files and of its own; headers and footers count behind the text, as
// we write them.
func writerText(body []byte) string {
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return ""
	}
	var margins, pictures []*html.Node
	for n := range root.Descendants() {
		switch {
		case n.Data == "img":
			pictures = append(pictures, n)
		case n.Data == "div" && (attributeOf(n, "title") == "header" || attributeOf(n, "title") == "footer"):
			margins = append(margins, n)
		}
	}
	for _, n := range append(slices.Clone(pictures), margins...) {
		n.Parent.RemoveChild(n)
	}
	texts := []string{textOf(root)}
	for _, n := range margins {
		texts = append(texts, textOf(n))
	}
	return strings.Join(texts, " ")
}

// describeOnce takes what is said of pictures out of a page where its text says the same, or another
// picture: we write it once.
func describeOnce(root *html.Node) {
	said := map[string]bool{"image": true} // what pandoc says of a picture of which nothing is said
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			said[joined(n.Data)] = true
		}
	}
	for n := range root.Descendants() {
		for i := range n.Attr {
			if a := &n.Attr[i]; n.Data == "img" && a.Key == "alt" {
				if text := joined(a.Val); said[text] {
					a.Val = ""
				} else {
					said[text] = true
				}
			}
		}
	}
}

// rawTeX are the commands of formulas that pandoc does not know, for which reason it writes them: of
// those in small letters we write the sign, or nothing.
var rawTeX = regexp.MustCompile(`\\[a-z]+`)

// textOf returns the text of an element. The number that refers to a note is no word, and what is
// said of a picture stands below it too where it has a caption.
func textOf(n *html.Node) string {
	var text strings.Builder
	for d := range n.Descendants() {
		switch {
		case d.Type == html.TextNode && d.Parent.Data != "script" && d.Parent.Data != "style" && d.Parent.Data != "title" && !isNoteNumber(d.Parent):
			if isMath(d.Parent) {
				d.Data = rawTeX.ReplaceAllString(d.Data, " ")
			}
			text.WriteString(d.Data)
		case d.Data == "img" && !hasCaption(d):
			text.WriteString(" " + attributeOf(d, "alt") + " ")
		case d.Data == "sup" || d.Data == "sub":
			if first := strings.TrimSpace(textOf(d)); isMath(d) || first != "" && first[0] >= '0' && first[0] <= '9' {
				text.WriteString(" ") // 10^9 is not 109
			}
		case d.Type == html.ElementNode && !inLine[d.Data]:
			text.WriteString(" ")
		}
	}
	return text.String()
}

// inLine are the elements that do not end a word.
var inLine = map[string]bool{
	"a": true, "b": true, "strong": true, "i": true, "em": true, "u": true, "mark": true, "span": true, "code": true, "small": true, "del": true, "ins": true, "q": true, "font": true,
}

// isMath reports whether an element is in a formula.
func isMath(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if strings.HasPrefix(attributeOf(n, "class"), "math") {
			return true
		}
	}
	return false
}

func isNoteNumber(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n.Data == "a" && (attributeOf(n, "role") == "doc-noteref" || attributeOf(n, "role") == "doc-backlink" || strings.HasPrefix(attributeOf(n, "class"), "sdfootnote") || strings.HasPrefix(attributeOf(n, "class"), "sdendnote")) {
			return true
		}
	}
	return false
}

func hasCaption(picture *html.Node) bool {
	for d := range picture.Parent.Descendants() {
		if d.Data == "figcaption" {
			return true
		}
	}
	return false
}

func attributeOf(n *html.Node, name string) string {
	i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
	if i < 0 {
		return ""
	}
	return n.Attr[i].Val
}

// controls are the elements of a page that lynx writes something for, or whose content it takes
// for text.
var controls = map[string]bool{
	"iframe": true, "link": true, "input": true, "area": true, "embed": true, "frame": true, "noscript": true, "select": true, "button": true, "svg": true,
	"script": true, "style": true, "object": true, "datalist": true, "template": true, "img": true,
}

// withoutControls returns a page without what is no text of it. A picture is what is said of it.
func withoutControls(body []byte) []byte {
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return body
	}
	describeOnce(root)
	var drop []*html.Node
	for n := range root.Descendants() {
		if n.Data == "ol" { // numbers of items are written by a program
			n.Data = "ul"
		}
		if n.Type == html.ElementNode && controls[n.Data] {
			drop = append(drop, n)
		}
	}
	for _, n := range drop {
		if alt := attributeOf(n, "alt"); n.Data == "img" && alt != "" {
			n.Parent.InsertBefore(&html.Node{Type: html.TextNode, Data: " " + alt + " "}, n)
		}
		n.Parent.RemoveChild(n)
	}
	var out bytes.Buffer
	if html.Render(&out, root) != nil {
		return body
	}
	return out.Bytes()
}
