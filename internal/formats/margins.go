package formats

import (
	"strings"
	"unicode"

	"github.com/kappagraph/kappa/corpus"
)

// pageMargins are the headers and footers of a document: what stands in the margins of its pages.
type pageMargins struct {
	texts []string // each once, however many pages and sections have it
	known map[string]bool
}

// add takes the paragraphs of a header or a footer. A paragraph without letters is the number of a
// page or a line.
func (m *pageMargins) add(text string) {
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		paragraph = strings.TrimLeft(oneLine(paragraph), "# ") // a heading there is none of the text
		if m.known[paragraph] || !strings.ContainsFunc(paragraph, unicode.IsLetter) {
			continue
		}
		if m.known == nil {
			m.known = map[string]bool{}
		}
		m.known[paragraph] = true
		m.texts = append(m.texts, paragraph)
	}
}

// after returns a text in Markdown with the margins behind it, as a place beside the text.
func (m *pageMargins) after(d corpus.DocumentText) corpus.DocumentText {
	if len(m.texts) == 0 {
		return d
	}
	d.Text = strings.TrimRight(storable(d.Text), "\n ")
	d.Places = sections(d.Text)
	if d.Text != "" {
		d.Text += "\n\n"
	}
	d.Places = append(d.Places, corpus.Place{Start: len(d.Text), Section: corpus.SectionNotice})
	d.Text += strings.Join(m.texts, "\n\n")
	return d
}
