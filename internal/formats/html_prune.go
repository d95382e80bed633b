package formats

import (
	"context"
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// markdownOf returns the text of a parsed page. Links and pictures count with
// their text alone: an address is no word of the document.
func markdownOf(ctx context.Context, root *html.Node) (string, error) {
	prune(root)
	c := converter.NewConverter(
		converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false))),
	)
	text, err := c.ConvertNode(root, converter.WithContext(ctx))
	if err != nil {
		return "", malformed("The page cannot be read: %v.", err)
	}
	return asWritten.Replace(string(text)), nil
}

// The characters that stand for those of tags while a page becomes Markdown, which would write them
// as entities.
var (
	hideTags  = strings.NewReplacer("<", "\uE003", ">", "\uE004", "&", "\uE005", "\uE003", "", "\uE004", "", "\uE005", "")
	asWritten = strings.NewReplacer("\uE003", "<", "\uE004", ">", "\uE005", "&")
)

// prune takes out of a page what is not read, and leaves of links and emphasis
// the words.
func prune(root *html.Node) {
	var drop, unwrap []*html.Node
	for n := range root.Descendants() {
		switch {
		case n.Type == html.CommentNode:
			drop = append(drop, n)
		case n.Type == html.TextNode:
			if n.Parent.DataAtom == atom.Sup && n.PrevSibling == nil && n.Parent.PrevSibling != nil && raises(n.Parent.PrevSibling.Data, n.Data) && n.Parent.PrevSibling.Type == html.TextNode {
				n.Data = "^" + n.Data
			}
			n.Data = hideTags.Replace(n.Data)
		case n.Type != html.ElementNode:
		case dropped[n.Data], isPermalink(n):
			drop = append(drop, n)
		case unwrapped[n.Data]:
			unwrap = append(unwrap, n)
		case isList(n) && tooDeep(n):
			unwrap = append(unwrap, n)
		default:
			flatten(n)
		}
	}
	for _, n := range drop {
		n.Parent.RemoveChild(n)
	}
	for _, n := range unwrap {
		for child := n.FirstChild; child != nil; child = n.FirstChild {
			n.RemoveChild(child)
			n.Parent.InsertBefore(child, n)
		}
		n.Parent.RemoveChild(n)
	}
}

// isPermalink reports a link of a heading to itself, of which only its sign is shown.
func isPermalink(n *html.Node) bool {
	text := n.FirstChild
	if n.DataAtom != atom.A || text == nil || text.NextSibling != nil || text.Type != html.TextNode {
		return false
	}
	within := slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "href" && strings.HasPrefix(a.Val, "#") })
	return within && strings.Contains(" ¶ § # 🔗 ", " "+strings.TrimSpace(text.Data)+" ")
}

// maxLists is how deep lists are nested in the text. Each level indents the lines
// of what is in it, so that a small page would become a large text.
const maxLists = 10

func isList(n *html.Node) bool { return n.DataAtom == atom.Ul || n.DataAtom == atom.Ol }

func tooDeep(n *html.Node) bool {
	depth := 0
	for parent := range n.Ancestors() {
		if isList(parent) {
			depth++
		}
	}
	return depth >= maxLists
}

// flatten makes a paragraph of each row of a table, with bars between its cells, and of other
// elements that stand by themselves. A table in Markdown would be filled up to its widest row and
// cell.
func flatten(n *html.Node) {
	switch n.DataAtom {
	case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Caption,
		atom.Form, atom.Fieldset, atom.Legend, atom.Textarea, atom.Nav, atom.Header, atom.Footer, atom.Aside:
		n.Data, n.DataAtom = "div", atom.Div
	case atom.Td, atom.Th:
		if n.PrevSibling != nil {
			n.Parent.InsertBefore(&html.Node{Type: html.TextNode, Data: " | "}, n)
		}
		n.Data, n.DataAtom = "span", atom.Span
	}
}

// dropped are the elements that are not read, with all that is in them; unwrapped
// are those that only their content is read of.
var (
	dropped = map[string]bool{
		"script": true, "style": true, "noscript": true, "template": true, "svg": true, "img": true,
		"iframe": true, "object": true, "button": true, "select": true, "datalist": true, "input": true, "head": true,
	}
	unwrapped = map[string]bool{"a": true, "b": true, "strong": true, "i": true, "em": true, "u": true, "mark": true, "blockquote": true}
)
