package formats

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"

	"golang.org/x/net/html/charset"

	"github.com/kappagraph/kappa/corpus"
)

// xmlNames are the extensions of names of documents in XML.
var xmlNames = map[string]bool{
	".xml": true, ".dbk": true, ".docbook": true, ".dita": true, ".ditamap": true, ".tei": true, ".jats": true, ".nxml": true, ".fb2": true, ".opml": true,
	".rss": true, ".atom": true, ".rdf": true, ".sgml": true, ".sgm": true,
}

var xmlRoot = regexp.MustCompile(`^(?:<!DOCTYPE [^<]*(?:<![^<]*)*>?\s*(?:<!--|<\?|<[A-Za-z_])|<[A-Za-z_][\w:.-]*(?:\s[^<>]*)?/?>)`)

// isXML reports whether a text is a document in XML: it declares so, or is named so and begins with
// an element.
func isXML(text []byte, filename, declared string) bool {
	declares := strings.HasPrefix(strings.TrimLeft(string(text[:min(len(text), 256)]), " \t\r\n"), "<?xml ")
	kind := declaredType(declared)
	if !declares && !xmlNames[extension(filename)] && kind != string(corpus.ContentXML) && kind != "text/xml" {
		return false
	}
	return xmlRoot.Match(afterProlog(text))
}

// The elements of documents in XML that are written for readers, in DocBook, TEI, JATS, DITA,
// FictionBook and Atom.
var (
	xmlProse = map[string]bool{
		"book": true, "article": true, "chapter": true, "section": true, "sect1": true, "sect2": true, "sect3": true, "refentry": true, "appendix": true, "part": true, "preface": true, "set": true,
		"TEI": true, "FictionBook": true, "topic": true, "concept": true, "task": true, "reference": true, "html": true, "feed": true, "rss": true, "svg": true, "page": true, "help": true, "para": true,
	}
	xmlSections = map[string]bool{
		"book": true, "article": true, "chapter": true, "section": true, "sect1": true, "sect2": true, "sect3": true, "sect4": true, "sect5": true, "refentry": true, "refsect1": true, "refsect2": true, "refsection": true,
		"appendix": true, "part": true, "preface": true, "sec": true, "topic": true, "concept": true, "task": true, "body": true, "div": true, "simplesect": true, "glossary": true, "bibliography": true,
	}
	xmlTitles = map[string]bool{"title": true, "head": true, "refentrytitle": false, "article-title": true}
	xmlCode   = map[string]bool{"programlisting": true, "screen": true, "literallayout": true, "synopsis": true, "codeblock": true, "pre": true}
	xmlItems  = map[string]bool{"listitem": true, "item": true, "list-item": true, "li": true, "step": true}
	xmlRaised = map[string]bool{"sup": true, "superscript": true}
	xmlCells  = map[string]bool{"entry": true, "td": true, "th": true, "cell": true}
	xmlBlocks = map[string]bool{
		"para": true, "simpara": true, "p": true, "row": true, "tr": true, "term": true, "title": true, "subtitle": true, "head": true, "note": true, "warning": true, "tip": true, "programlisting": true, "screen": true,
		"itemizedlist": true, "orderedlist": true, "variablelist": true, "listitem": true, "step": true, "blockquote": true, "table": true, "informaltable": true, "figure": true, "example": true, "footnote": false,
	}
	xmlSilent = map[string]bool{"style": true, "script": true, "binary": true, "indexterm": true, "remark": true, "metadata": false, "CDATA": false}
)

// xmlElement is an element that is open.
type xmlElement struct {
	name     string
	text     bool // it has text of its own
	children bool
	begin    int // of its text, in what is written
}

// xmlReader writes the text of a document in XML while it is read.
type xmlReader struct {
	markdownWriter
	open    []xmlElement
	prose   bool         // it is written for readers, and is no data
	depth   int          // of sections
	silent  int          // elements that are open, of which nothing is read
	fiction bool         // it is a book of FictionBook
	targets *xrefTargets // that references show; nil is none
}

// readXML makes Markdown of a document in XML: the text of its elements, with the titles as headings.
// Data has the name of an element before its value.
func readXML(ctx context.Context, body []byte) (corpus.DocumentText, error) {
	r := xmlReader{}
	d := corpus.DocumentText{Markup: corpus.ContentMarkdown}
	if bytes.Contains(body, []byte("<xref")) {
		r.targets = readTargets(ctx, body)
	}
	decoder := xmlDecoder(body)
	for ctx.Err() == nil {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			if r.Len() == 0 {
				return d, malformed("The XML cannot be read: %v.", err)
			}
			d.Warnings = append(d.Warnings, "The XML is broken: what follows is not read ("+oneLine(err.Error())+")")
			break
		}
		if err := r.token(token); err != nil {
			return d, err
		}
	}
	if ctx.Err() != nil {
		return d, context.Cause(ctx)
	}
	r.endFence()
	d.Text = strings.TrimSpace(manyBlankLines.ReplaceAllString(r.String(), "\n\n"))
	return d, nil
}

// xmlDecoder returns a decoder of a document that may have the entities of HTML.
func xmlDecoder(body []byte) *xml.Decoder {
	decoder := xml.NewDecoder(bytes.NewReader(body))
	decoder.Strict, decoder.Entity = false, xml.HTMLEntity
	decoder.AutoClose = nil
	decoder.CharsetReader = charset.NewReaderLabel
	return decoder
}

// decodeXML returns a document in XML in UTF-8, and how it was decoded, if not as it says itself.
func decodeXML(body []byte) (text []byte, warning string, err error) {
	if name, _ := wideEncoding(body); name != "" {
		text, warning, err = decode(body)
		return xmlEncoding.ReplaceAll(text, nil), warning, err
	}
	const head = 200 // within which a document says it
	if invalidOffset(body) < 0 || xmlEncoding.Match(body[:min(len(body), head)]) {
		return bytes.TrimPrefix(body, []byte(byteOrderMark)), "", nil
	}
	return decode(body)
}

// xmlDeclared is how a document in XML begins that says what it is encoded in.
var xmlDeclared = regexp.MustCompile(`^\x{FEFF}?\s*<\?xml\s[^>]*encoding\s*=`)

var xmlEncoding = regexp.MustCompile(`(?i)\s+encoding\s*=\s*(?:"[^"]*"|'[^']*')`)

func (r *xmlReader) token(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		return r.start(t)
	case xml.EndElement:
		r.end()
	case xml.CharData:
		r.chars(string(t))
	}
	return nil
}

func (r *xmlReader) start(e xml.StartElement) error {
	name := e.Name.Local
	if len(r.open) >= maxDepth {
		return malformed("The document nests its elements deeper than %d.", maxDepth)
	}
	if len(r.open) == 0 {
		r.prose = xmlProse[name]
		r.fiction = name == "FictionBook"
	}
	if n := len(r.open); n > 0 {
		parent := &r.open[n-1]
		parent.children = true
		if r.silent == 0 && (!parent.text || xmlBlocks[name] || xmlSections[name]) && !xmlCells[name] && !xmlCode[parent.name] {
			r.breakLine()
		}
	}
	r.open = append(r.open, xmlElement{name: name, begin: r.Len()})
	switch {
	case xmlSilent[name] || r.silent > 0 || r.fiction && fictionSilent[name]:
		r.silent++
	case name == "xref" && r.prose && r.targets != nil:
		r.chars(r.targets.shown(e))
	case name == "image" && r.fiction:
		if text := altText(attribute(e, "alt")); text != "" {
			r.chars("[" + text + "]")
		}
	case xmlSections[name]:
		r.depth++
	case xmlTitles[name] && r.prose:
		r.WriteString(strings.Repeat("#", min(max(r.depth, 1), 6)) + " ")
	case xmlCode[name]:
		r.fence()
	case xmlItems[name] && r.prose:
		r.WriteString("- ")
	}
	if !r.prose && r.silent == 0 {
		r.attributes(e.Attr)
	}
	r.open[len(r.open)-1].begin = r.Len()
	return nil
}

// attributes writes what the attributes of an element of data say.
func (r *xmlReader) attributes(list []xml.Attr) {
	for _, a := range list {
		if value := strings.TrimSpace(a.Value); value != "" && a.Name.Local != "xmlns" && a.Name.Space != "xmlns" && !strings.HasPrefix(a.Value, "http://www.w3.org/") {
			r.WriteString(a.Name.Local + ": " + strings.Join(strings.Fields(value), " ") + "\n")
		}
	}
}

// breakLine begins a paragraph, unless one has begun.
func (r *xmlReader) breakLine() {
	text := r.String()
	if text != "" && !strings.HasSuffix(text, "\n") && !strings.HasSuffix(text, "- ") && !strings.HasSuffix(text, "# ") {
		r.WriteString("\n\n")
	}
}

func (r *xmlReader) end() {
	n := len(r.open) - 1
	if n < 0 {
		return
	}
	e := r.open[n]
	r.open = r.open[:n]
	if r.silent > 0 {
		r.silent--
		return
	}
	switch {
	case xmlSections[e.name]:
		r.depth--
	case xmlCode[e.name]:
		if text := r.String(); !strings.HasSuffix(text, "\n") {
			r.WriteString("\n")
		}
		r.endFence()
	}
	switch {
	case xmlCells[e.name]:
		r.WriteString(" | ")
	case !r.prose && !e.children && e.text:
		r.WriteString("\n")
	case n > 0 && (!r.open[n-1].text || xmlBlocks[e.name] || xmlSections[e.name]):
		r.breakLine()
	}
}

// chars writes the text of an element. Its first words in data have the name before them.
func (r *xmlReader) chars(text string) {
	n := len(r.open) - 1
	if n < 0 || r.silent > 0 {
		return
	}
	e := &r.open[n]
	if strings.TrimSpace(text) == "" {
		if (e.text || e.children) && r.Len() > e.begin && !strings.HasSuffix(r.String(), "\n") && !strings.HasSuffix(r.String(), " ") {
			r.WriteString(" ")
		}
		return
	}
	if !e.text && !e.children && !r.prose {
		r.WriteString(e.name + ": ")
	}
	if xmlRaised[e.name] && !e.text && r.prose && raises(r.String(), text) {
		r.WriteByte('^')
	}
	e.text = true
	if r.fenced {
		r.WriteString(text)
		return
	}
	words := strings.Join(strings.Fields(text), " ")
	if first := text[0]; (first == ' ' || first == '\n' || first == '\t') && r.Len() > e.begin && !strings.HasSuffix(r.String(), " ") {
		words = " " + words
	}
	if last := text[len(text)-1]; last == ' ' || last == '\n' || last == '\t' {
		words += " "
	}
	r.WriteString(words)
}
