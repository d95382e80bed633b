package formats

import (
	"context"
	"encoding/xml"
	"path"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

const (
	docxBody   = "word/document.xml"
	docxStyles = "word/styles.xml"
)

// readDOCX makes Markdown of a Word document: headings, paragraphs, lists and the
// rows of tables; notes, comments, text boxes and what pictures show after the paragraph that
// they belong to; headers and footers as a place beside the text. What was deleted, and where
// something was moved from, is left out.
func readDOCX(ctx context.Context, body []byte) (corpus.DocumentText, error) {
	archive, err := openParts(body)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	main := archive.mainPart(ctx, docxBody)
	headings, err := docxHeadings(ctx, archive, main)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	notes, warnings, err := docxNotes(ctx, archive, main, headings)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	d := docx{ooxmlText: ooxmlText{prose: &prose{}}, headings: headings, notes: notes}
	if err = archive.visit(ctx, main, d.visit); err != nil {
		return corpus.DocumentText{}, err
	}
	d.finish()
	d.unplaced()
	margins, said, err := docxMargins(ctx, archive, main)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	warnings = append(warnings, said...)
	return margins.after(corpus.DocumentText{Text: d.text.String(), Markup: corpus.ContentMarkdown, Warnings: warnings}), d.check()
}

// docxMargins reads the headers and footers that the document refers to. What cannot be read of
// them is said in warnings.
func docxMargins(ctx context.Context, archive parts, main string) (m pageMargins, warnings []string, err error) {
	for _, kind := range []string{"header", "footer"} {
		read := map[string]bool{}
		for _, name := range archive.related(ctx, main, kind) {
			if read[name] {
				continue
			}
			read[name] = true
			d := docx{ooxmlText: ooxmlText{prose: &prose{}}}
			err := archive.visit(ctx, name, d.visit)
			if ctx.Err() != nil {
				return m, nil, context.Cause(ctx)
			}
			if err != nil {
				warnings = append(warnings, "A "+kind+" could not be read: "+kappa.ErrorMessage(err))
			}
			m.add(d.finish())
		}
	}
	return m, warnings, nil
}

// docxHeadings returns the level of each style that is one of a heading, or is based on one.
// Its name is English in every language of Word, its identifier is not.
func docxHeadings(ctx context.Context, archive parts, main string) (map[string]int, error) {
	levels, based, order := map[string]int{}, map[string]string{}, []string(nil)
	styles := append(archive.related(ctx, main, "styles"), docxStyles)[0]
	if !archive.has(styles) {
		return levels, nil // a document without styles has no headings
	}
	style := ""
	err := archive.visit(ctx, styles, func(token xml.Token) error {
		start, ok := token.(xml.StartElement)
		switch {
		case !ok:
		case start.Name.Local == "style":
			style = attribute(start, "styleId")
			order = append(order, style)
		case start.Name.Local == "basedOn":
			based[style] = attribute(start, "val")
		case start.Name.Local == "name":
			if level := headingLevel(attribute(start, "val")); level > 0 {
				levels[style] = level
			}
		}
		return nil
	})
	const generations = 3 // of styles that are based on each other
	for range generations {
		for _, style := range order {
			if level := levels[based[style]]; level > 0 && levels[style] == 0 {
				levels[style] = level
			}
		}
	}
	return levels, err
}

// headingLevel returns the level, from 1 to 6, of a style of this name, or 0.
func headingLevel(style string) int {
	style = strings.ToLower(style)
	if style == "title" {
		return 1
	}
	number, ok := strings.CutPrefix(style, "heading ")
	level, err := strconv.Atoi(number)
	if !ok || err != nil || level < 1 {
		return 0
	}
	return min(level, 6)
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// docx writes the text of a Word document while its elements are read.
type docx struct {
	ooxmlText
	headings map[string]int
	notes    docxNoteTexts
	outer    []*prose // paragraphs that the text boxes which are open belong to
	inRow    bool     // within the properties of a row
	deleted  bool     // the row was
}

func (d *docx) visit(token xml.Token) error { return d.ooxmlText.visit(token, d.open, d.close) }

func (d *docx) open(e xml.StartElement) {
	switch e.Name.Local {
	case "del":
		d.deleted = d.deleted || d.inRow && d.tables == 1
		d.skipped++
	case "moveFrom", "rt": // the second is how the characters below it are read
		d.skipped++
	case "trPr":
		d.inRow = true
	case "docPr":
		d.picture(e)
	case "txbxContent":
		if d.outer = append(d.outer, d.prose); len(d.outer) <= maxAside {
			d.prose = &prose{}
		}
	case "footnoteReference", "endnoteReference", "commentReference":
		d.note(strings.TrimSuffix(e.Name.Local, "Reference"), attribute(e, "id"))
	default:
		d.openText(e)
	}
}

// openText opens what the text itself consists of.
func (d *docx) openText(e xml.StartElement) {
	switch e.Name.Local {
	case "p":
		d.endParagraph()
	case "t":
		d.inText = true
	case "r":
		d.raised = false
	case "vertAlign":
		d.raised = attribute(e, "val") == "superscript"
	case "sym":
		d.symbol(attribute(e, "font"), attribute(e, "char"))
	case "tab", "br", "cr", "ptab":
		d.paragraph.WriteByte(' ')
	case "noBreakHyphen":
		d.paragraph.WriteByte('-')
	case "pStyle":
		d.level = d.headings[attribute(e, "val")]
	case "numPr":
		d.listed = true
	case "tbl":
		d.openTable()
	case "tr":
		d.deleted = d.deleted && d.tables > 1
	case "tc":
		d.openCell()
	}
}

func (d *docx) close(name string) {
	switch name {
	case "t":
		d.inText = false
	case "p":
		d.endParagraph()
	case "trPr":
		d.inRow = false
	case "tr":
		d.endRow(d.deleted)
	case "tbl":
		d.closeTable()
	case "txbxContent":
		if n := len(d.outer); n > maxAside {
			d.outer = d.outer[:n-1]
		} else if n > 0 {
			text := d.finish()
			d.prose, d.outer = d.outer[n-1], d.outer[:n-1]
			d.add("", text)
		}
	}
}

// symbol writes a character of the font of symbols that every computer has. Those of other fonts are
// pictures: their codes say nothing.
func (d *docx) symbol(font, code string) {
	n, err := strconv.ParseUint(code, 16, 16)
	if err != nil || font != "Symbol" {
		return
	}
	text := decodePage([]byte{byte(n)}, pageSymbol)
	d.read += len(text)
	d.paragraph.WriteString(text)
}

// picture adds what is said to be shown by a picture: not the name of its file.
func (d *docx) picture(e xml.StartElement) {
	d.add("Picture", altText(attribute(e, "descr")))
}

// altText returns what a picture shows, or "" when it is only the name of a file or an
// address.
func altText(s string) string {
	s = oneLine(s)
	if !strings.Contains(s, " ") && (path.Ext(s) != "" || strings.Contains(s, "://")) {
		return ""
	}
	return s
}
