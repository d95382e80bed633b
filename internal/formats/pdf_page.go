package formats

import (
	"context"
	"strings"

	gopdfium "github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/kappagraph/kappa/corpus"
)

// pdfPages reads the pages of a document.
type pdfPages struct {
	library  gopdfium.Pdfium
	document references.FPDF_DOCUMENT
	seek     bool // pictures
	spaces   *pdfSpaces
	glyphs   *pdfGlyphs
}

// readPages are the pages of a document.
type readPages struct {
	texts    []string
	pictures []int // the numbers of the pages that are pictures, some with a few words
}

// pagesOf returns the text of each page, and says how many are read. With pictures it says which
// pages are pictures.
func pagesOf(ctx context.Context, library gopdfium.Pdfium, document references.FPDF_DOCUMENT, pictures bool) (pages readPages, err error) {
	count, err := library.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: document})
	if err != nil {
		return pages, pdfError(err)
	}
	if count.PageCount > maxPages {
		return pages, malformed("The PDF has %d pages; at most %d are read. Split it into smaller ones.", count.PageCount, maxPages)
	}
	p := pdfPages{library: library, document: document, seek: pictures, spaces: &pdfSpaces{}, glyphs: &pdfGlyphs{library: library}}
	pages.texts = make([]string, count.PageCount)
	size, said := 0, corpus.ReadingProgress(ctx)
	for i := range pages.texts {
		if ctx.Err() != nil {
			return pages, context.Cause(ctx)
		}
		text, picture, err := p.page(i)
		if err != nil {
			return pages, malformed("Page %d of the PDF cannot be read: %s.", i+1, firstLine(err))
		}
		pages.texts[i] = text
		if picture {
			pages.pictures = append(pages.pictures, i+1)
		}
		if size += len(pages.texts[i]); size > maxTextBytes {
			return pages, tooLong()
		}
		said(i+1, count.PageCount)
	}
	return pages, nil
}

// page returns the text of a page, with what is written into its forms and what its annotations
// show and say, and whether it is a picture.
func (p pdfPages) page(index int) (text string, picture bool, err error) {
	loaded, err := p.library.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: p.document, Index: index})
	if err != nil {
		return "", false, err
	}
	notes, flat, err := p.annotations(loaded.Page)
	if err != nil {
		return "", false, err
	}
	if flat { // what was flattened is seen when the page is loaded again
		if _, err := p.library.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page}); err != nil {
			return "", false, err
		}
		if loaded, err = p.library.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: p.document, Index: index}); err != nil {
			return "", false, err
		}
	}
	text, err = p.text(loaded.Page)
	if err != nil {
		return "", false, err
	}
	picture = p.seek && p.isPicture(loaded.Page, text)
	_, err = p.library.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page})
	return withNotes(text, notes), picture, err
}

// text returns the text that is in the content of a page, in the order of reading; none where its
// fonts do not say what it is.
func (p pdfPages) text(page references.FPDF_PAGE) (string, error) {
	loaded, err := p.library.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: requests.Page{ByReference: &page}})
	if err != nil {
		return "", err
	}
	text := ""
	count, err := p.library.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: loaded.TextPage})
	if err == nil && count.Count > 0 {
		got, e := p.library.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: loaded.TextPage, Count: count.Count})
		if err = e; err == nil && !unmapped(got.Text) {
			text = p.ordered(loaded.TextPage, got.Text, count.Count)
		}
	}
	if err != nil {
		return "", err
	}
	_, err = p.library.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: loaded.TextPage})
	return text, err
}

// ordered returns the text of a page in the order of reading. Of one with characters that PDFium
// counts and does not write nobody knows where they are: it stays as it is, and so does one with
// more on it than anybody reads.
func (p pdfPages) ordered(page references.FPDF_TEXTPAGE, text string, count int) string {
	if runes := []rune(text); len(runes) == count && count <= maxOrdered {
		p.glyphs.of(page, count)
		box := p.glyphs.box
		spaced, at := p.spaces.spaced(runes, box)
		if at != nil {
			text = string(spaced)
		}
		if pieces := piecesOf(spaced, boxAt(box, at)); len(pieces) <= maxPieces {
			if ordered, changed := inOrder(pieces); changed {
				return ordered
			}
		}
	}
	return logical(cleanPage(text))
}

// withNotes adds to the text of a page those notes that it does not show. The age 18 is not shown
// by the year 1870.
func withNotes(text string, notes []pdfNote) string {
	if len(notes) == 0 {
		return text
	}
	shown := strings.Join(strings.Fields(text), " ")
	var b strings.Builder
	b.WriteString(text)
	for _, note := range notes {
		if said := oneLine(cleanPage(note.text)); said != "" && !corpus.HasWords(shown, said) {
			b.WriteString("\n" + note.label + ": " + said)
		}
	}
	return b.String()
}

// cleanPage joins words that were hyphenated at the end of a line, which PDFium
// marks, and ends lines with a line feed.
func cleanPage(text string) string {
	return strings.NewReplacer(
		"\u0002\r\n", "", "\uFFFE\r\n", "", "\u0002", "", "\uFFFE", "", "\r\n", "\n", "\r", "\n", "\x00", "",
	).Replace(text)
}
