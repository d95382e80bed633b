package formats

import (
	"bytes"
	"context"
	"regexp"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"github.com/kappagraph/kappa/corpus"
)

// maxHTMLBytes is the largest page that is read. What is made of it takes many
// times its size in memory.
const maxHTMLBytes = 8 << 20

// isHTML reports whether body begins as a page does: with a document type or the
// element html, after nothing but comments. Text that has HTML in it is text.
func isHTML(body []byte) bool {
	const head = 16 << 10
	rest := bytes.TrimPrefix(body[:min(len(body), head)], []byte(byteOrderMark))
	for {
		rest = bytes.TrimLeft(rest, " \t\r\n\f")
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			_, after, closed := bytes.Cut(rest, []byte("-->"))
			if !closed {
				return false
			}
			rest = after
		case bytes.HasPrefix(rest, []byte("<?xml")):
			_, after, closed := bytes.Cut(rest, []byte("?>"))
			if !closed {
				return false
			}
			rest = after
		default:
			return startsTag(rest, "<!doctype html") || startsTag(rest, "<html")
		}
	}
}

// startsTag reports whether s begins with the tag, in letters of any case.
func startsTag(s []byte, tag string) bool {
	if len(s) <= len(tag) || !bytes.EqualFold(s[:len(tag)], []byte(tag)) {
		return false
	}
	return strings.IndexByte("> \t\r\n\f", s[len(tag)]) >= 0
}

// readHTML makes Markdown of a page: headings, paragraphs, lists and tables stay,
// scripts, styles and what is for navigation do not.
func readHTML(ctx context.Context, body []byte) (corpus.DocumentText, error) {
	if len(body) > maxHTMLBytes {
		return corpus.DocumentText{}, malformed("The page has %s; at most %d MB of HTML are read. Split it into smaller ones.", corpus.HumanSize(len(body)), maxHTMLBytes>>20)
	}
	body, warnings, err := decodeHTML(body)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return corpus.DocumentText{}, malformed("The page cannot be read: %v.", err)
	}
	text, err := markdownOf(ctx, root)
	return corpus.DocumentText{Text: text, Markup: corpus.ContentMarkdown, Warnings: warnings}, err
}

// metaCharset finds what the meta element of a page says that it is encoded in.
var metaCharset = regexp.MustCompile(`(?i)<meta[^>]*charset\s*=\s*["']?([\w:.-]+)`)

// decodeHTML returns a page in UTF-8: as it is, or decoded as its meta element says.
func decodeHTML(body []byte) ([]byte, []string, error) {
	if invalidOffset(body) < 0 {
		return body, nil, nil
	}
	const head = 1024 // within which a page must say it
	label := metaCharset.FindSubmatch(body[:min(len(body), head)])
	if label == nil {
		label = [][]byte{nil, nil}
	}
	encoding, name := charset.Lookup(string(label[1]))
	if encoding == nil || name == "utf-8" {
		return nil, nil, malformed("The page is not valid UTF-8, at byte %d, and does not name another encoding.", invalidOffset(body))
	}
	decoded, err := encoding.NewDecoder().Bytes(body)
	if err != nil {
		return nil, nil, malformed("The page says that it is encoded in %s, and is not: %v.", name, err)
	}
	return decoded, []string{"Read as " + name + ", as the page says"}, nil
}

// markdownOf returns the text of a parsed page. Links and pictures count with
// their text alone: an address is no word of the document.
func markdownOf(ctx context.Context, root *html.Node) (string, error) {
	prune(root)
	c := converter.NewConverter(
		converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin()),
	)
	text, err := c.ConvertNode(root, converter.WithContext(ctx))
	if err != nil {
		return "", malformed("The page cannot be read: %v.", err)
	}
	return string(text), nil
}

// prune takes out of a page what is not read, and leaves of links and emphasis
// the words.
func prune(root *html.Node) {
	var drop, unwrap []*html.Node
	for n := range root.Descendants() {
		switch {
		case n.Type == html.CommentNode:
			drop = append(drop, n)
		case n.Type != html.ElementNode:
		case dropped[n.Data]:
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

// flatten makes a paragraph of each row of a table, with bars between its cells. A
// table in Markdown would be filled up to its widest row and cell.
func flatten(n *html.Node) {
	switch n.DataAtom {
	case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Caption:
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
		"script": true, "style": true, "noscript": true, "template": true, "nav": true, "svg": true, "img": true,
		"iframe": true, "object": true, "form": true, "button": true, "select": true, "head": true,
	}
	unwrapped = map[string]bool{"a": true, "b": true, "strong": true, "i": true, "em": true, "u": true, "mark": true, "blockquote": true}
)
