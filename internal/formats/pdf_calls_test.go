package formats

import (
	"strings"
	"testing"

	gopdfium "github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
	"github.com/klippa-app/go-pdfium/structs"
)

// countedPDF is a document of pages that all show the same characters. It counts what is asked of it,
// and panics at a question that it has no count for.
type countedPDF struct {
	gopdfium.Pdfium

	pages int
	text  []rune
	box   func(int) (pdfBox, bool)
	calls int
	boxes []int // how often a character of the page that is open was asked for
	again int   // characters that were asked for twice
}

func (c *countedPDF) FPDF_GetPageCount(*requests.FPDF_GetPageCount) (*responses.FPDF_GetPageCount, error) {
	c.calls++
	return &responses.FPDF_GetPageCount{PageCount: c.pages}, nil
}

func (c *countedPDF) FPDF_LoadPage(*requests.FPDF_LoadPage) (*responses.FPDF_LoadPage, error) {
	c.calls++
	c.boxes = make([]int, len(c.text))
	return &responses.FPDF_LoadPage{Page: references.FPDF_PAGE("page")}, nil
}

func (c *countedPDF) FPDF_ClosePage(*requests.FPDF_ClosePage) (*responses.FPDF_ClosePage, error) {
	c.calls++
	return &responses.FPDF_ClosePage{}, nil
}

func (c *countedPDF) FPDFPage_GetAnnotCount(*requests.FPDFPage_GetAnnotCount) (*responses.FPDFPage_GetAnnotCount, error) {
	c.calls++
	return &responses.FPDFPage_GetAnnotCount{}, nil
}

func (c *countedPDF) FPDFText_LoadPage(*requests.FPDFText_LoadPage) (*responses.FPDFText_LoadPage, error) {
	c.calls++
	return &responses.FPDFText_LoadPage{TextPage: references.FPDF_TEXTPAGE("text")}, nil
}

func (c *countedPDF) FPDFText_ClosePage(*requests.FPDFText_ClosePage) (*responses.FPDFText_ClosePage, error) {
	c.calls++
	return &responses.FPDFText_ClosePage{}, nil
}

func (c *countedPDF) FPDFText_CountChars(*requests.FPDFText_CountChars) (*responses.FPDFText_CountChars, error) {
	c.calls++
	return &responses.FPDFText_CountChars{Count: len(c.text)}, nil
}

func (c *countedPDF) FPDFText_GetText(*requests.FPDFText_GetText) (*responses.FPDFText_GetText, error) {
	c.calls++
	return &responses.FPDFText_GetText{Text: string(c.text)}, nil
}

func (c *countedPDF) FPDFText_GetLooseCharBox(q *requests.FPDFText_GetLooseCharBox) (*responses.FPDFText_GetLooseCharBox, error) {
	c.calls++
	if c.boxes[q.Index]++; c.boxes[q.Index] == 2 {
		c.again++
	}
	b, _ := c.box(q.Index)
	return &responses.FPDFText_GetLooseCharBox{Rect: structs.FPDF_FS_RECTF{
		Left: float32(b.left), Top: float32(-b.top), Right: float32(b.right), Bottom: float32(-b.bottom),
	}}, nil
}

// callsOf reads a document of so many pages, and returns the calls into PDFium that it took.
func callsOf(t *testing.T, pages int, marked string) int {
	t.Helper()
	text, box := setLine(marked)
	c := &countedPDF{pages: pages, text: text, box: box}
	got, err := pagesOf(t.Context(), c, references.FPDF_DOCUMENT("document"), false)
	if err != nil || len(got.texts) != pages || got.texts[pages-1] == "" {
		t.Fatalf("read %d pages: %v", len(got.texts), err)
	}
	if c.again > 0 {
		t.Errorf("%d pages: %d characters were asked for more than once", pages, c.again)
	}
	return c.calls
}

// TestPDFCalls counts the calls into PDFium, each of which crosses into its sandbox. A page that lacks
// spaces is asked for each character, and one of running text, on the pages that are not looked into
// for spaces, for where its lines begin and where the words of every third one do.
func TestPDFCalls(t *testing.T) {
	const ofPage, ofDocument = 8, 1 // calls that do not depend on what a page shows
	line := "the glacier melts in summer and it grows in winter\n"
	for _, c := range []struct {
		name, marked string
		least        bool // spaces are looked for on few pages
	}{
		{"running text", strings.Repeat(line, 30), true},
		{"a page that lacks spaces", strings.Repeat("the glacier^melts in summer and it^grows in winter\n", 30), false},
		{"a table", strings.Repeat("Bern^^^^^^^^^^^^^^^^134\n", 30), true},
		{"one line", line, true},
	} {
		text, _ := setLine(c.marked)
		characters := 0 // without the blanks
		for word := range strings.FieldsSeq(string(text)) {
			characters += len(word)
		}
		ten, hundred := callsOf(t, 10, c.marked)-ofDocument, callsOf(t, 100, c.marked)-ofDocument
		t.Logf("%s: %d characters, %d calls a page of 10 and %d of 100", c.name, len(text), ten/10, hundred/100)
		if most := ofPage + characters; ten > 10*most {
			t.Errorf("%s: %d calls for 10 pages, more than %d a page", c.name, ten, most)
		}
		switch {
		case c.least && hundred >= 10*ten:
			t.Errorf("%s: 100 pages take %d calls, 10 take %d: spaces are looked for on each page", c.name, hundred, ten)
		case !c.least && hundred != 10*ten:
			t.Errorf("%s: 100 pages take %d calls, 10 take %d", c.name, hundred, ten)
		}
	}
}
