package formats

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/kappagraph/kappa/corpus"
)

const (
	// maxReadable is how many elements a page has at most of which it is looked for the main
	// text: that takes several times what reading it takes.
	maxReadable = 20_000
	// idAttribute numbers the blocks of a page, so that they are known in what is kept of it.
	idAttribute = "data-kappa-block"
)

// The marks of regions, which stand in the text until it is Markdown: they are of the characters
// that Unicode leaves to programs.
const (
	markMain       = '\uE000'
	markNavigation = '\uE001'
	markNotice     = '\uE002'
)

// withoutMarks takes out of a page what looks like a mark.
var withoutMarks = strings.NewReplacer(string(markMain), "", string(markNavigation), "", string(markNotice), "")

// pageBlock is an element of a page with words of its own.
type pageBlock struct {
	element *html.Node
	first   *html.Node // its first word is in
	words   int
	linked  int // words in links
	region  rune
	heading bool
}

// markRegions marks where menus, and what else stands around the main text of a page, begin and
// end. The elements of the page say so; where they do not, a reader of main text does.
func markRegions(root *html.Node) {
	blocks := blocksOf(root)
	for _, b := range blocks {
		b.region = regionOf(b)
	}
	if kept := keptWords(root); kept != nil {
		judge(blocks, kept)
	}
	// A heading belongs to what stands under it.
	next := markMain
	for _, b := range slices.Backward(blocks) {
		if b.heading && b.region != markMain {
			b.region = next
		}
		next = b.region
	}
	last := markMain
	for _, b := range blocks {
		if b.region != last {
			b.first.Data = string(b.region) + strings.TrimLeft(b.first.Data, " \t\r\n\f")
		}
		last = b.region
	}
}

// blocksOf returns the blocks of a page in their order, and numbers them.
func blocksOf(root *html.Node) []*pageBlock {
	var blocks []*pageBlock
	known := map[*html.Node]*pageBlock{}
	for n := range root.Descendants() {
		if n.Type != html.TextNode {
			continue
		}
		n.Data = withoutMarks.Replace(n.Data)
		words := len(strings.Fields(n.Data))
		if words == 0 {
			continue
		}
		element, linked, read := blockOf(n)
		if !read {
			continue
		}
		b := known[element]
		if b == nil {
			b = &pageBlock{element: element, first: n, heading: isHeading(element)}
			known[element] = b
			element.Attr = append(element.Attr, html.Attribute{Key: idAttribute, Val: strconv.Itoa(len(blocks))})
			blocks = append(blocks, b)
		}
		b.words += words
		if linked {
			b.linked += words
		}
	}
	return blocks
}

// blockOf returns the block that a text stands in, whether it is in a link, and whether it is
// read at all.
func blockOf(text *html.Node) (block *html.Node, linked, read bool) {
	for n := range text.Ancestors() {
		if dropped[n.Data] {
			return nil, false, false
		}
		linked = linked || n.DataAtom == atom.A
		if block == nil && !inline[n.Data] {
			block = n
		}
	}
	return block, linked, block != nil && block.Type == html.ElementNode
}

// inline are the elements that stand within a block.
var inline = map[string]bool{
	"a": true, "abbr": true, "b": true, "bdi": true, "bdo": true, "big": true, "cite": true, "code": true, "del": true, "dfn": true, "em": true,
	"font": true, "i": true, "ins": true, "kbd": true, "label": true, "mark": true, "q": true, "s": true, "samp": true, "small": true, "span": true,
	"strike": true, "strong": true, "sub": true, "sup": true, "time": true, "tt": true, "u": true, "var": true,
}

func isHeading(n *html.Node) bool {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

// regionOf returns the region that the elements around a block say that it is in.
func regionOf(b *pageBlock) rune {
	if b.element.DataAtom == atom.H1 {
		return markMain
	}
	region := markMain
	for n := b.element; n != nil; n = n.Parent {
		switch role := attributeOf(n, "role"); {
		case n.DataAtom == atom.Nav, role == "navigation", role == "menu", role == "menubar":
			return markNavigation
		case n.DataAtom == atom.Main, n.DataAtom == atom.Article, role == "main", role == "article":
			return markMain // its header and its footer are of it
		case n.DataAtom == atom.Header, n.DataAtom == atom.Footer, role == "banner", role == "contentinfo", role == "search", role == "complementary", role == "dialog", role == "alertdialog":
			region = markNotice
		}
	}
	return region
}

func attributeOf(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return strings.ToLower(a.Val)
		}
	}
	return ""
}

// keptWords returns how many words of each block a reader of main text keeps, or nil when it
// finds no main text. It may panic on what no browser shows; then it has found none.
func keptWords(root *html.Node) (kept map[string]int) {
	defer func() {
		if recover() != nil {
			kept = nil
		}
	}()
	p := readability.NewParser()
	p.MaxElemsToParse, p.DisableJSONLD = maxReadable, true
	article, err := p.ParseDocument(root, &url.URL{})
	if err != nil || article.Node == nil {
		return nil
	}
	kept = map[string]int{}
	for n := range article.Node.Descendants() {
		if n.Type != html.TextNode {
			continue
		}
		for element := range n.Ancestors() {
			if id := attributeOf(element, idAttribute); id != "" {
				kept[id] += len(strings.Fields(n.Data))
				break
			}
		}
	}
	return kept
}

const (
	// leastMain is the part of the words of a page that its main text has at least. A reader of
	// articles that keeps less has taken a part of a manual for the whole.
	leastMain = 0.5
	// proseWords is how many words a block has at least that is main text by itself.
	proseWords = 25
)

// judge takes out of the main text the blocks that a reader of main text leaves out. A long
// paragraph without links is never one of those.
func judge(blocks []*pageBlock, kept map[string]int) {
	all, main := 0, 0
	left := make([]bool, len(blocks))
	for i, b := range blocks {
		if b.region != markMain {
			continue
		}
		left[i] = 2*kept[strconv.Itoa(i)] < b.words && !b.heading
		all += b.words
		if !left[i] {
			main += b.words
		}
	}
	if float64(main) < leastMain*float64(all) {
		return
	}
	for i, b := range blocks {
		switch {
		case !left[i], b.words-b.linked >= proseWords:
		case 2*b.linked > b.words:
			b.region = markNavigation
		default:
			b.region = markNotice
		}
	}
}

// unmarkRegions takes the marks out of a text, and returns where its sections and regions begin;
// nil when it has no regions.
func unmarkRegions(text string) (string, []corpus.Place) {
	const marks = string(markMain) + string(markNavigation) + string(markNotice)
	if !strings.ContainsAny(text, marks) {
		return text, nil
	}
	type region struct {
		start int
		mark  rune
	}
	var (
		out     strings.Builder
		regions []region
	)
	for line := range strings.Lines(text) {
		if i := strings.IndexAny(line, marks); i >= 0 {
			regions = append(regions, region{out.Len(), []rune(line[i:])[0]})
			line = withoutMarks.Replace(line)
		}
		out.WriteString(line)
	}
	text = out.String()
	var places []corpus.Place
	section, mark := "", markMain
	headings := sections(text)
	for len(headings) > 0 || len(regions) > 0 {
		switch {
		case len(regions) > 0 && (len(headings) == 0 || regions[0].start <= headings[0].Start):
			mark = regions[0].mark
			places = append(places, corpus.Place{Start: regions[0].start, Section: sectionOf(mark, section)})
			regions = regions[1:]
		case mark == markMain:
			section = headings[0].Section
			if n := len(places); n > 0 && places[n-1].Start == headings[0].Start {
				places = places[:n-1]
			}
			places = append(places, headings[0])
			headings = headings[1:]
		default:
			headings = headings[1:] // of what is beside the text
		}
	}
	return text, places
}

// sectionOf returns the section of a region, which is that of the text around it for the main
// text.
func sectionOf(mark rune, section string) string {
	switch mark {
	case markNavigation:
		return corpus.SectionNavigation
	case markNotice:
		return corpus.SectionNotice
	}
	return section
}
