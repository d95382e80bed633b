package formats

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

const (
	odfBody     = "content.xml"
	odfManifest = "META-INF/manifest.xml"
	odfStyles   = "styles.xml"
)

// errFound ends the reading of a part.
var errFound = errors.New("found")

// readODF makes Markdown of a text, a spreadsheet or a presentation in the OpenDocument format,
// in an archive or in one XML file: headings, paragraphs, lists, rows of tables; a section for
// each sheet and slide; notes, comments and text boxes after the paragraph that they belong to.
// What was deleted is left out; headers and footers of a text are a place beside it.
func readODF(ctx context.Context, body []byte) (corpus.DocumentText, error) {
	d := odf{prose: &prose{}}
	var declared odfDeclared
	visit := func(token xml.Token) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		declared.visit(token)
		return d.visit(token)
	}
	if !bytes.HasPrefix(body, []byte(zipSignature)) {
		if err := elements(bytes.NewReader(body), visit); err != nil {
			return corpus.DocumentText{}, err
		}
		text := corpus.DocumentText{Text: d.finish(), Markup: corpus.ContentMarkdown}
		if !d.isText || !bytes.Contains(body, []byte("<style:master-page")) {
			return declared.margins.after(text), nil
		}
		var m odfMargins
		err := elements(bytes.NewReader(body), m.visit)
		return m.margins.after(text), err
	}
	archive, err := openParts(body)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	if encrypted(ctx, archive) {
		return corpus.DocumentText{}, malformed("The document is encrypted: remove its password first.")
	}
	d.formula = func(object string) string { return odfFormula(ctx, archive, object) }
	if err := archive.visit(ctx, odfBody, visit); err != nil {
		return corpus.DocumentText{}, err
	}
	text := corpus.DocumentText{Text: d.finish(), Markup: corpus.ContentMarkdown}
	if !d.isText || !archive.has(odfStyles) {
		return declared.margins.after(text), nil
	}
	var m odfMargins
	err = archive.visit(ctx, odfStyles, m.visit)
	if ctx.Err() != nil {
		return corpus.DocumentText{}, context.Cause(ctx)
	}
	if err != nil {
		text.Warnings = append(text.Warnings, "Some headers or footers could not be read: "+kappa.ErrorMessage(err))
	}
	return m.margins.after(text), nil
}

// encrypted reports whether the manifest of an archive says that its content is encrypted.
func encrypted(ctx context.Context, archive parts) bool {
	if !archive.has(odfManifest) {
		return false
	}
	name := ""
	err := archive.visit(ctx, odfManifest, func(token xml.Token) error {
		start, ok := token.(xml.StartElement)
		switch {
		case !ok:
		case start.Name.Local == "file-entry":
			name = attribute(start, "full-path")
		case start.Name.Local == "encryption-data" && (name == odfBody || name == "encrypted-package"):
			return errFound
		}
		return nil
	})
	return errors.Is(err, errFound)
}

// odf writes the text of a document while its elements are read.
type odf struct {
	*prose
	outer   []odfOuter // what is open that stands after a paragraph
	skipped int        // elements that are open and not read
	open    int        // paragraphs that are
	lists   int        // items of lists that are
	inTitle int        // elements that are open within the title of a slide
	caught  *strings.Builder

	note    string // the label of the note that is open
	creator strings.Builder
	inSheet bool // the document is a spreadsheet
	isText  bool // or a text
	sheet   *odfSheet
	slide   odfSlide
	formula func(object string) string // nil is none
	raising odfRaising
}

// odfOuter is what was being written before something that stands after it.
type odfOuter struct {
	*prose
	open, lists int
	element     string // that ends it
	label       string
}

// odfSlide is the slide that is open.
type odfSlide struct {
	number int
	title  string
	prose  *prose // that the slides are written to; nil is none
}

func (d *odf) visit(token xml.Token) error {
	d.raising.visit(token)
	switch t := token.(type) {
	case xml.StartElement:
		if d.skipped > 0 || odfSkipped[t.Name.Local] && d.open == 0 || odfUnread[t.Name.Local] {
			d.skipped++
			break
		}
		if d.inTitle > 0 {
			d.inTitle++
		}
		d.begin(t)
	case xml.CharData:
		switch {
		case d.skipped > 0:
		case d.caught != nil:
			d.caught.Write(t)
		case d.open > 0:
			if d.raising.next && raises(d.paragraph.String(), string(t)) {
				d.paragraph.WriteByte('^')
			}
			d.raising.next = false
			d.paragraph.Write(t)
		}
	case xml.EndElement:
		if d.skipped > 0 {
			d.skipped--
			break
		}
		if err := d.end(t.Name.Local); err != nil {
			return err
		}
		if d.inTitle > 0 {
			d.inTitle--
		}
	}
	return d.check()
}

// odfUnread are elements that are not read, with all that is in them: what was deleted, and
// what is written otherwise. So are odfSkipped, but for those within a paragraph: what is in the
// margins of pages, and what a document says of itself.
var (
	odfUnread  = map[string]bool{"tracked-changes": true, "note-citation": true, "ruby-text": true, "binary-data": true}
	odfSkipped = map[string]bool{
		"master-styles": true, "automatic-styles": true, "styles": true, "meta": true, "settings": true, "font-face-decls": true,
		"scripts": true, "forms": true,
	}
)

func (d *odf) begin(e xml.StartElement) {
	switch e.Name.Local {
	case "p", "h":
		d.beginParagraph(e)
	case "s", "tab", "line-break":
		d.paragraph.WriteByte(' ')
	case "list-item", "list-header":
		d.lists++
	case "note":
		d.note = map[string]string{"endnote": "Endnote"}[attribute(e, "note-class")]
		if d.note == "" {
			d.note = "Footnote"
		}
	case "note-body":
		d.push(e.Name.Local, d.note)
	case "annotation":
		d.push(e.Name.Local, "Comment")
	case "text-box":
		if d.open > 0 {
			d.push(e.Name.Local, "")
		}
	case "creator":
		d.creator.Reset()
		d.caught = &d.creator
	case "desc":
		d.caught = &strings.Builder{}
	case "object":
		d.object(e)
	case "spreadsheet":
		d.inSheet = true
	case "text":
		d.isText = true
	case "table", "table-row", "table-cell", "covered-table-cell":
		d.beginTable(e)
	case "page", "frame", "notes":
		d.beginSlide(e)
	}
}

// beginParagraph begins a paragraph. One within another is of a shape that stands after it.
func (d *odf) beginParagraph(e xml.StartElement) {
	if d.sheet != nil {
		d.sheet.written = true
	}
	if d.open > 0 {
		d.push(e.Name.Local, "")
	} else {
		d.endParagraph()
	}
	d.open++
	if d.listed = d.lists > 0; e.Name.Local == "h" {
		level, _ := strconv.Atoi(cmp.Or(attribute(e, "outline-level"), attribute(e, "level")))
		d.level = min(max(level, 1), 6)
	}
}

// push begins what stands after the paragraph.
func (d *odf) push(element, label string) {
	d.outer = append(d.outer, odfOuter{d.prose, d.open, d.lists, element, label})
	if d.open, d.lists = 0, 0; len(d.outer) <= maxAside {
		d.prose = &prose{}
	}
}

// pop ends what stands after a paragraph, if an element of this name began it.
func (d *odf) pop(element string) {
	n := len(d.outer) - 1
	if n < 0 || d.outer[n].element != element || (element == "p" || element == "h") && d.open > 0 {
		return
	}
	o := d.outer[n]
	if n >= maxAside {
		d.open, d.lists, d.outer = o.open, o.lists, d.outer[:n]
		return
	}
	text := strings.TrimSpace(d.finish())
	if o.label != "" {
		text = oneLine(text)
	}
	d.prose, d.open, d.lists, d.outer = o.prose, o.open, o.lists, d.outer[:n]
	if creator := oneLine(d.creator.String()); element == "annotation" && creator != "" {
		o.label += " (" + creator + ")"
	}
	d.add(o.label, text)
	if d.open == 0 && len(d.cells) == 0 {
		d.writeAfter()
	}
}

func (d *odf) end(name string) error {
	switch name {
	case "p", "h":
		d.open--
		d.endText()
		d.pop(name)
	case "list-item", "list-header":
		d.lists--
	case "note-body", "annotation", "text-box":
		d.pop(name)
		d.creator.Reset()
	case "creator":
		d.caught = nil
	case "desc":
		if d.caught != nil {
			d.add("Picture", altText(d.caught.String()))
		}
		d.caught = nil
	case "table", "table-row", "table-cell", "covered-table-cell":
		return d.endTable(name)
	case "page", "notes":
		d.endSlide(name)
	}
	return nil
}

// endText ends a paragraph. That of the title of a slide is in its heading.
func (d *odf) endText() {
	if d.inTitle > 0 {
		d.slide.title += " " + d.paragraph.String()
		d.paragraph.Reset()
	}
	d.endParagraph()
}

// object writes a formula.
func (d *odf) object(e xml.StartElement) {
	if name := strings.TrimPrefix(attribute(e, "href"), "./"); d.formula != nil && name != "" {
		if text := d.formula(name); d.open > 0 {
			d.paragraph.WriteString(text)
		} else {
			d.add("", text)
		}
	}
}

// finish ends what is open, and returns the text.
func (d *odf) finish() string {
	if d.slide.prose != nil && len(d.outer) == 0 {
		d.endSlide("page")
	}
	return d.prose.finish()
}
