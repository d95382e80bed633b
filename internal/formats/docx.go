package formats

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

const (
	docxBody   = "word/document.xml"
	docxStyles = "word/styles.xml"
)

// readDOCX makes Markdown of a Word document: headings, paragraphs, lists and the
// rows of tables.
func readDOCX(ctx context.Context, body []byte) (corpus.DocumentText, error) {
	archive, err := openArchive(body)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	headings, err := docxHeadings(archive)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	file, err := openEntry(archive, docxBody)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	defer file.Close() // it is only read
	d := docx{headings: headings}
	err = elements(file, func(token xml.Token) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return d.visit(token)
	})
	return corpus.DocumentText{Text: d.text.String(), Markup: corpus.ContentMarkdown}, err
}

// docxHeadings returns the level of each style that is one of a heading. Its name
// is English in every language of Word, its identifier is not.
func docxHeadings(archive *zip.Reader) (map[string]int, error) {
	levels := map[string]int{}
	file, err := openEntry(archive, docxStyles)
	if err != nil {
		return levels, nil // a document without styles has no headings
	}
	defer file.Close() // it is only read
	style := ""
	err = elements(file, func(token xml.Token) error {
		start, ok := token.(xml.StartElement)
		switch {
		case !ok:
		case start.Name.Local == "style":
			style = attribute(start, "styleId")
		case start.Name.Local == "name":
			if level := headingLevel(attribute(start, "val")); level > 0 {
				levels[style] = level
			}
		}
		return nil
	})
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
	headings map[string]int
	text     strings.Builder

	paragraph strings.Builder
	level     int      // of the heading that the paragraph is; 0 is none
	listed    bool     // the paragraph is in a list
	inText    bool     // within an element of text
	cells     []string // of the row of a table: the paragraphs of those that have ended, joined
	cell      []string // paragraphs of the last cell
	celled    int      // bytes of paragraphs in cells
	tables    int      // that are open
}

func (d *docx) visit(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		d.open(t)
	case xml.CharData:
		if d.inText {
			d.paragraph.Write(t)
		}
	case xml.EndElement:
		d.close(t.Name.Local)
	}
	if max(d.text.Len(), d.celled)+d.paragraph.Len() > maxTextBytes {
		return tooLong()
	}
	return nil
}

func (d *docx) open(e xml.StartElement) {
	switch e.Name.Local {
	case "p":
		d.endParagraph() // one may be within another, in a text box
	case "t":
		d.inText = true
	case "tab", "br", "cr":
		d.paragraph.WriteByte(' ')
	case "pStyle":
		d.level = d.headings[attribute(e, "val")]
	case "numPr":
		d.listed = true
	case "tbl":
		d.endParagraph()
		d.tables++
	case "tc":
		if d.tables == 1 {
			d.endCell()
			d.cells = append(d.cells, "")
		}
	}
}

// endCell joins the paragraphs of the last cell.
func (d *docx) endCell() {
	if len(d.cell) > 0 {
		d.cells[len(d.cells)-1] = strings.Join(d.cell, " ")
		d.cell = d.cell[:0]
	}
}

func (d *docx) close(name string) {
	switch name {
	case "t":
		d.inText = false
	case "p":
		d.endParagraph()
	case "tr":
		if d.tables == 1 {
			d.endCell()
			d.write("", strings.Join(d.cells, " | "))
			d.cells = nil
		}
	case "tbl":
		d.tables--
	}
}

// endParagraph writes the paragraph, or adds it to the cell that it is in.
func (d *docx) endParagraph() {
	text := strings.Join(strings.Fields(d.paragraph.String()), " ")
	level, listed := d.level, d.listed
	d.paragraph.Reset()
	d.level, d.listed = 0, false
	switch {
	case text == "":
	case len(d.cells) > 0:
		d.cell = append(d.cell, text)
		d.celled += len(text) + 1
	case level > 0:
		d.write(strings.Repeat("#", level)+" ", text)
	case listed:
		d.write("- ", text)
	default:
		d.write("", text)
	}
}

func (d *docx) write(mark, text string) {
	if strings.Trim(text, "| ") == "" {
		return
	}
	d.text.WriteString(mark)
	d.text.WriteString(text)
	d.text.WriteString("\n\n")
}
