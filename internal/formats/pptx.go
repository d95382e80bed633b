package formats

import (
	"context"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

const pptxBody = "ppt/presentation.xml"

// readPPTX makes Markdown of a presentation: each slide is a section with its title, its
// texts and tables, what its pictures and diagrams show, and its notes and comments.
func readPPTX(ctx context.Context, body []byte) (corpus.DocumentText, error) {
	archive, err := openParts(body)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	main := archive.mainPart(ctx, pptxBody)
	slides, err := pptxSlides(ctx, archive, main)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	var text strings.Builder
	d := corpus.DocumentText{Markup: corpus.ContentMarkdown}
	var margins pageMargins
	read := map[string]bool{} // slides, each of which is shown once
	for i, slide := range slides {
		if read[slide] {
			continue
		}
		read[slide] = true
		one, err := readSlide(ctx, archive, slide, i+1, &margins)
		if err != nil {
			return d, err
		}
		text.WriteString(one)
		if text.Len() > maxTextBytes {
			return d, tooLong()
		}
	}
	d.Text = text.String()
	return margins.after(d), nil
}

// pptxSlides returns the slides of a presentation in their order.
func pptxSlides(ctx context.Context, archive parts, main string) ([]string, error) {
	related, _ := archive.relations(ctx, main)
	var slides []string
	err := archive.visit(ctx, main, func(token xml.Token) error {
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "sldId" {
			return nil
		}
		for _, a := range start.Attr {
			if r := related[a.Value]; a.Name.Local == "id" && r.kind == "slide" && archive.has(r.target) {
				slides = append(slides, r.target)
			}
		}
		return nil
	})
	return slides, err
}

// slideParts are what belongs to a slide and is in parts of its own.
var slideParts = []struct{ kind, label string }{
	{"diagramData", "Diagram"}, {"chart", "Chart"}, {"notesSlide", "Notes"}, {"comments", "Comment"}, {"comment", "Comment"},
}

// readSlide returns the section of a slide, which counts from 1. Its footer goes to the margins.
func readSlide(ctx context.Context, archive parts, name string, number int, margins *pageMargins) (string, error) {
	s := slide{margins: margins, ooxmlText: ooxmlText{prose: &prose{}}}
	if err := archive.visit(ctx, name, s.visit); err != nil {
		return "", err
	}
	s.finish()
	var text strings.Builder
	text.WriteString(slideHeading(number, s.title.String()))
	text.WriteString(s.text.String())
	for _, p := range slideParts {
		for _, part := range archive.related(ctx, name, p.kind) {
			more := slide{ooxmlText: ooxmlText{prose: &prose{}}, within: true}
			if err := archive.visit(ctx, part, more.visit); err != nil {
				return "", err
			}
			if said := strings.TrimSpace(more.finish()); said != "" {
				text.WriteString(p.label + ": " + said + "\n\n")
			}
		}
	}
	return text.String(), nil
}

// slideHeading is the heading of the section of a slide.
func slideHeading(number int, title string) string {
	if title = oneLine(title); title != "" {
		return fmt.Sprintf("## Slide %d: %s\n\n", number, title)
	}
	return fmt.Sprintf("## Slide %d\n\n", number)
}

// slide writes the text of a slide while its elements are read.
type slide struct {
	ooxmlText
	title   strings.Builder
	label   string // of each comment of a sheet
	within  bool   // it is a part that belongs to a slide
	inTitle bool   // the shape is the title of the slide
	margins *pageMargins
	footer  bool // the shape is the footer
}

func (s *slide) visit(token xml.Token) error { return s.ooxmlText.visit(token, s.open, s.close) }

// placeholders are the shapes of a slide that do not say what it is about.
var placeholders = map[string]bool{"sldNum": true, "dt": true, "hdr": true, "sldImg": true}

func (s *slide) open(e xml.StartElement) {
	switch e.Name.Local {
	case "cNvPr":
		if !s.within {
			s.add("Picture", altText(attribute(e, "descr")))
		}
	case "ph":
		kind := attribute(e, "type")
		s.inTitle = (kind == "title" || kind == "ctrTitle") && !s.within
		s.footer = kind == "ftr" && !s.within
		if placeholders[kind] || kind == "ftr" && s.within {
			const shape = 4 // elements: this one is in nvPr, in nvSpPr, in sp
			s.skipped = shape
		}
	case "p", "pt", "cm":
		s.endParagraph()
	case "r":
		s.raised = false
	case "rPr":
		raised, err := strconv.Atoi(attribute(e, "baseline"))
		s.raised = err == nil && raised > 0
	case "author", "rPh": // of all comments; how a text is pronounced
		s.skipped++
	case "t", "text", "v":
		s.inText = true
	case "br", "tab":
		s.paragraph.WriteByte(' ')
	case "tbl":
		s.openTable()
	case "tc":
		s.openCell()
	}
}

func (s *slide) close(name string) {
	switch name {
	case "t", "text":
		s.inText = false
	case "v": // of a chart
		s.inText = false
		s.paragraph.WriteByte(' ')
	case "p":
		if s.footer {
			s.margins.add(s.paragraph.String())
			s.paragraph.Reset()
		}
		if s.inTitle && len(s.cells) == 0 {
			s.title.WriteString(" " + s.paragraph.String())
			s.paragraph.Reset()
		}
		s.endParagraph()
	case "comment", "threadedComment":
		text := s.paragraph.String()
		s.paragraph.Reset()
		s.add(s.label, text)
		s.endParagraph()
	case "sp", "pt", "cm":
		s.inTitle, s.footer = false, false
		s.endParagraph()
	case "tr":
		s.endRow(false)
	case "tbl":
		s.closeTable()
	}
}
