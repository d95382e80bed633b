package formats

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxTitle is the longest title that heads a page, in bytes: a longer one is a list of words for
// search engines.
const maxTitle = 200

// noTitle matches the titles that programs give to what has none.
var noTitle = regexp.MustCompile(`(?i)^(untitled.*|new page.*|no title|document|page|home|index|(?:\S+)\.(?:html?|php|aspx?))$`)

// headByTitle makes the title of a page its heading where no other one says what the page is
// about. A page that has headings, or that begins with the words of its title, is left as it is.
func headByTitle(root *html.Node) {
	var title, body *html.Node
	for n := range root.Descendants() {
		switch n.DataAtom {
		case atom.Title:
			if title == nil && inHead(n) {
				title = n
			}
		case atom.Body:
			if body == nil {
				body = n
			}
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			if wordsOf(n, 0) != "" {
				return
			}
		}
	}
	if title == nil || body == nil {
		return
	}
	text := wordsOf(title, maxTitle)
	if text == "" || len(text) > maxTitle || noTitle.MatchString(text) || strings.HasPrefix(wordsOf(body, len(text)), text) {
		return
	}
	heading := &html.Node{Type: html.ElementNode, Data: "h1", DataAtom: atom.H1}
	heading.AppendChild(&html.Node{Type: html.TextNode, Data: text})
	body.InsertBefore(heading, body.FirstChild)
}

// inHead reports whether a node is in the head of its page: a picture has a title too.
func inHead(n *html.Node) bool {
	for p := range n.Ancestors() {
		if p.DataAtom == atom.Head {
			return true
		}
	}
	return false
}

// wordsOf returns the text below a node up to about so many bytes, a space between two words.
func wordsOf(n *html.Node, most int) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Parent.DataAtom != atom.Script && d.Parent.DataAtom != atom.Style && strings.TrimSpace(d.Data) != "" {
			b.WriteString(strings.Join(strings.Fields(d.Data), " "))
			b.WriteByte(' ')
		}
		if b.Len() > most {
			break
		}
	}
	return strings.TrimSpace(b.String())
}
