package formats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
)

// growing are documents that are made to take more than their size, by format and kind:
// each is of about so many bytes.
var growing = []struct {
	kind   string
	format corpus.ContentType
	make   func(size int) string
}{
	{"one line", corpus.ContentPlain, func(n int) string { return fill("melt ", n) }},
	{"one word", corpus.ContentPlain, func(n int) string { return fill("melt", n) }},
	{"marks on one letter", corpus.ContentPlain, func(n int) string { return "a" + fill("\u0301", n) }},
	{"one line of UTF-16", corpus.ContentPlain, func(n int) string { return "\xff\xfe" + fill("m\x00 \x00", n) }},
	{"one line of UTF-32", corpus.ContentPlain, func(n int) string { return "\xff\xfe\x00\x00" + fill("m\x00\x00\x00 \x00\x00\x00", n) }},
	{"one line of Windows-1252", corpus.ContentPlain, func(n int) string {
		return fill("Die Gletscher sind Fl\xfcsse aus Eis und der Schnee ist nicht kalt. ", n)
	}},
	{"a heading of one line", corpus.ContentMarkdown, func(n int) string { return "# " + fill("melt ", n) }},
	{"a row of cells", corpus.ContentCSV, func(n int) string { return fill("a,", n) + "\nb,c\n" }},
	{"two rows of cells", corpus.ContentCSV, func(n int) string { return fill("a,", n/2) + "\n" + fill("b,", n/2) + "\n" }},
	{"a row of empty cells", corpus.ContentCSV, func(n int) string { return "a,b\n" + fill(",", n) + "c\n" }},
	{"an open quote", corpus.ContentCSV, func(n int) string { return "a,b\n\"" + fill("a,b\n", n) }},
	{"one string", corpus.ContentJSON, func(n int) string { return `{"a": "` + fill("melt ", n) + `"}` }},
	{"arrays in arrays", corpus.ContentJSON, func(n int) string { return fill("[", n/2) + `"a"` + fill("]", n/2) }},
	{"a name of marks", corpus.ContentJSON, func(n int) string { return `{"` + fill("_", n/2) + `": ["a"` + fill(`,"a"`, n/2) + "]}" }},
	{"a line of code", corpus.SourceCode("JavaScript"), func(n int) string { return "// It melts.\n" + fill("a(b, /c/, `${d}`);", n) }},
	{"open brackets", corpus.SourceCode("Go"), func(n int) string { return "// It melts.\nfunc a() {\n" + fill("(", n) }},
	{"open brackets, for a lexer", corpus.SourceCode("Ruby"), func(n int) string { return "# It melts.\n" + fill("(a", n/64) }},
	{"elements side by side", corpus.ContentHTML, func(n int) string { return "<html>" + fill("<p>a", n/4) }},
	{"items of a list", corpus.ContentHTML, func(n int) string { return "<html><ol>" + fill("<li>a", n/4) }},
	{"spans of rows and columns", corpus.ContentHTML, func(n int) string {
		return "<html><table>" + fill("<tr><td colspan=1000000 rowspan=1000000>a", n)
	}},
	{"attributes", corpus.ContentHTML, func(n int) string { return "<html><p " + fill("a=b ", n) + ">a" }},
	{"parts of a mail", corpus.ContentEmail, func(n int) string {
		return mailOf(slicesOf("Content-Type: text/plain\n\n"+fill("melt ", n/500), 500)...)
	}},
	{"before the parts", corpus.ContentEmail, func(n int) string {
		return mailOf("Content-Type: multipart/mixed; boundary=c\n\n" + fill("melt\n", n) + "--c\n\nIt melts.\n--c--")
	}},
	{"words that are encoded", corpus.ContentEmail, func(n int) string {
		return "Subject: " + fill("=?utf-7?q?+AOk-?= ", min(n, 500_000)) + "\n" + mailOf("\nIt melts.")
	}},
	{"fields of a part", corpus.ContentEmail, func(n int) string { return mailOf(fill("X: melt\n", n)+"\nIt melts.", "\nIt boils.") }},
	{"messages of a mailbox", corpus.ContentMailbox, func(n int) string {
		return fill("From a Sat\nFrom: a@b\nDate: x\n\n"+fill("melt ", n/500)+"\n\n", n)
	}},
	{"elements of data", corpus.ContentXML, func(n int) string { return "<a>" + fill("<b c='d'>e</b>", n) + "</a>" }},
	{"titles of sections", corpus.ContentXML, func(n int) string {
		return "<article>" + fill("<section><title>a</title><para>b <b>c</b></para></section>", n) + "</article>"
	}},
	{"headings", corpus.MarkedUp(markupASCIIDoc), func(n int) string { return fill("a\n==\n\n[[b]]\n<<b,c>> link:d[e]\n", n) }},
	{"directives", corpus.MarkedUp(markupRST), func(n int) string { return fill("a\n==\n\n.. note:: b\n   :c: d\n\n::\n\n  :ref:`e <f>` g_\n", n) }},
	{"lines of code to come", corpus.MarkedUp(markupRST), func(n int) string { return fill("a::\n\n\n", n) + "b" }},
	{"headings of Org", corpus.MarkedUp(markupOrg), func(n int) string { return fill("* a :b:\n[[c][d]]\n", n) }},
	{"escapes of a manual page", corpus.MarkedUp(markupMan), func(n int) string { return ".TH a 1\n" + fill(".BR a\\fBb\\(em (1)\n\\fIc\\fR\n", n) }},
	{"groups of TeX", corpus.MarkedUp(markupTeX), func(n int) string { return fill("\\section{a}\\frac{b}{\\frac{c}{d}} e", n) }},
	{"open groups of TeX", corpus.MarkedUp(markupTeX), func(n int) string { return fill("a\\emph{", n/16) }},
	{"cues", corpus.MarkedUp(markupSubRip), func(n int) string {
		return fill("1\n00:00:01,000 --> 00:00:02,000\nmelt\n\n2\n00:00:02,000 --> 00:00:03,000\nice\n\n", n)
	}},
	{"menus", corpus.ContentHTML, func(n int) string { return "<html>" + fill("<nav><a href=x>a</a></nav><p>b", n/8) }},
	{"one line of Windows-1251", corpus.ContentPlain, func(n int) string {
		return fill("\xe8 \xed\xe5 \xed\xe0 \xf7\xf2\xee \xee\xed \xea\xe0\xea \xfd\xf2\xee \xef\xee ", n)
	}},
	{"paragraphs of a cell", corpus.ContentDOCX, func(n int) string {
		return docxOf("<tbl><tr><tc>" + fill("<p><r><t>a</t></r></p>", n) + "</tc></tr></tbl>")
	}},
	{"tables in tables", corpus.ContentDOCX, func(n int) string {
		return docxOf(fill("<tbl><tr><tc>"+strings.Repeat("<tbl><tr><tc><p><r><t>a</t></r></p></tc></tr></tbl>", 10)+"</tc></tr></tbl>", n))
	}},
	{"styles", corpus.ContentDOCX, func(n int) string {
		return archive(map[string]string{
			docxBody:   "<document><p><r><t>It melts.</t></r></p></document>",
			docxStyles: "<styles>" + fill(`<style styleId="a"><name val="heading 1"/></style>`, n) + "</styles>",
		})
	}},
	{"a spine of one chapter", corpus.ContentEPUB, func(n int) string {
		return bookOf(fill(`<itemref idref="c"/>`, n), "<html><p>It melts.</p>"+strings.Repeat("<div></div>", 1000))
	}},
	{"notes", corpus.ContentDOCX, func(n int) string {
		return archive(map[string]string{
			docxBody:             "<document>" + fill(`<p><r><t>a</t></r><footnoteReference id="1"/></p>`, n) + "</document>",
			"word/footnotes.xml": "<footnotes>" + fill(`<footnote id="1"><p><r><t>b</t></r></p></footnote>`, n) + "</footnotes>",
		})
	}},
	{"formulas in formulas", corpus.ContentDOCX, func(n int) string {
		const deep = 80
		return docxOf(fill("<oMath>"+strings.Repeat("<f><num>", deep)+"<r><t>a</t></r>"+strings.Repeat("</num><den><r><t>b</t></r></den></f>", deep)+"</oMath>", n))
	}},
	{"text boxes in text boxes", corpus.ContentDOCX, func(n int) string {
		const deep = 60
		return docxOf(fill(strings.Repeat("<p><txbxContent>", deep)+"<p><r><t>a</t></r></p>"+strings.Repeat("</txbxContent></p>", deep), n))
	}},
	{"shapes of a slide", corpus.ContentPPTX, func(n int) string { return show(nil, fill(shape("title", "a"), n)) }},
	{"slides", corpus.ContentPPTX, func(n int) string { return show(nil, slicesOf(shape("", "a"), n>>12)...) }},
	{"notes in notes", corpus.ContentODT, func(n int) string {
		const deep = 60
		return open("text", fill(strings.Repeat("<text:p>a<text:note-body>", deep)+strings.Repeat("</text:note-body></text:p>", deep), n), nil)
	}},
	{"rows that repeat", corpus.ContentODS, func(n int) string {
		return open("spreadsheet", "<table:table>"+fill(`<table:table-row table:number-rows-repeated="9999999"><table:table-cell table:number-columns-repeated="9999999"><text:p>a</text:p></table:table-cell></table:table-row>`, n>>8)+"</table:table>", nil)
	}},
	{"groups", corpus.ContentRTF, func(n int) string { return rich(fill("{a}", n)) }},
	{"cells", corpus.ContentRTF, func(n int) string { return rich(fill(`a\cell`, n)) }},
	{"paragraphs of a cell, in rich text", corpus.ContentRTF, func(n int) string { return rich(`\intbl` + fill(` a\par`, n)) }},
	{"footnotes in footnotes", corpus.ContentRTF, func(n int) string {
		const deep = 900
		return rich(fill(strings.Repeat(`{\footnote a`, deep)+strings.Repeat("}", deep), n))
	}},
	{"styles, in rich text", corpus.ContentRTF, func(n int) string { return `{\rtf1{\stylesheet` + fill(`{\s1 heading 1;}`, n) + `}a}` }},
	{"characters of Unicode", corpus.ContentRTF, func(n int) string { return rich(fill(`\u1083?`, n)) }},
	{"paragraphs of old Word", corpus.ContentDOC, func(n int) string { return wordOld([]docPart{{text: fill("a\r", n)}}) }},
	{"cells of old Word", corpus.ContentDOC, func(n int) string { return wordOld([]docPart{{text: fill("a\x07", n)}}) }},
	{"fields of old Word", corpus.ContentDOC, func(n int) string { return wordOld([]docPart{{text: "a" + fill("\x13", n)}}) }},
	{"cells of an old workbook", corpus.ContentXLS, func(n int) string {
		return bookOld([]string{"a"}, fill(biffOf(biffShared, cell(1, 0, 0), uint32(0)), n))
	}},
	{"one text of an old workbook", corpus.ContentXLS, func(n int) string {
		return bookOld([]string{"a"}, biffOf(biffLabel, cell(0, 0, 0), uint16(0xFFFF), byte(0))+fill(biffOf(biffMore, byte(0), "a"), n))
	}},
	{"records of an old presentation", corpus.ContentPPT, func(n int) string {
		return showOld(recordOf(pptPersist, 0, false, uint32(1), uint32(0), uint32(0), uint32(9)), "", recordOf(pptSlide, 0, true, fill(recordOf(pptBytes, 0, false, "a"), n)))
	}},
	{"slides of one container", corpus.ContentPPT, func(n int) string {
		return showOld(fill(recordOf(pptPersist, 0, false, uint32(1), uint32(0), uint32(0), uint32(9)), n/4), "", recordOf(pptSlide, 0, true, fill(recordOf(pptBytes, 0, false, "a"), n/4)))
	}},
	{"the text of a message", corpus.ContentMSG, func(n int) string {
		return outlook(map[string]string{property("", mapiBody, mapiText): fill("melt ", n)})
	}},
	{"strings that are shared", corpus.ContentXLSX, func(n int) string {
		return workbookOf(map[string]string{"xl/sharedStrings.xml": `<sst ` + sheetSpace + `><si><t>It melts.</t></si></sst>`}, strings.Repeat("<row>"+fill(`<c t="s"><v>0</v></c>`, n/8)+"</row>", 2))
	}},
}

// fill repeats a unit up to about so many bytes.
func fill(unit string, size int) string { return strings.Repeat(unit, size/len(unit)+1) }

func slicesOf(s string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = s
	}
	return list
}

func docxOf(body string) string {
	return archive(map[string]string{docxBody: "<document><body>" + body + "</body></document>"})
}

// bookOf is a book with a chapter c, and this spine.
func bookOf(spine, chapter string) string {
	return archive(map[string]string{
		epubContainer: `<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>`, "c.x": chapter,
		"book.opf": `<package><manifest><item id="c" href="c.x" media-type="application/xhtml+xml"/></manifest><spine>` + spine + `</spine></package>`,
	})
}

// TestGrowing reads documents, and those twice as large, in twice the time and memory.
func TestGrowing(t *testing.T) { testGrowing(t, growingBytes/8) }

// TestGrowing_Slow reads larger ones.
func TestGrowing_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	testGrowing(t, growingBytes)
}

func testGrowing(t *testing.T, size int) {
	for _, g := range growing {
		t.Run(g.kind, func(t *testing.T) { linear(t, size, g.make, g.format) })
	}
}

// TestBounds has documents that are refused: small ones that become large, and such as
// nobody writes. Each says what is too much.
func TestBounds(t *testing.T) {
	deepParts := ""
	for i := range 50 {
		deepParts += fmt.Sprintf("Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	directory := strings.Repeat("PK\x01\x02"+strings.Repeat("\x00", 42), maxEntries+1)
	for says, c := range map[string]struct {
		format corpus.ContentType
		body   string
	}{
		"nests its elements deeper than 200":   {corpus.ContentDOCX, docxOf(strings.Repeat("<a>", 300))},
		"archive of 10001 files":               {corpus.ContentEPUB, zipSignature + directory},
		"more than 128 MB of HTML":             {corpus.ContentEPUB, manyChapters(20, 7<<20)},
		"within each other deeper than 20":     {corpus.ContentEmail, mailOf(deepParts + "\nIt melts.")},
		"a field of a header of":               {corpus.ContentEmail, mailOf("Content-Type: text/plain"+fill("; a=b", 1<<20)+"\n\nIt melts.", "\nIt boils.")},
		"has more than 1000 parts":             {corpus.ContentEmail, mailOf(slicesOf("\nIt melts.", 1100)...)},
		"source file in Ruby has":              {corpus.SourceCode("Ruby"), fill("(a", maxLexedBytes)},
		"more than 64 MB of text":              {corpus.ContentJSON, `{"` + fill("melt ", 1<<20) + `": [1` + fill(",1", 1<<10) + "]}"},
		"open stack of elements exceeds":       {corpus.ContentHTML, "<html>" + strings.Repeat("<div>", 100_000)},
		"The document is broken: XML":          {corpus.ContentDOCX, archive(map[string]string{docxBody: `<!DOCTYPE d [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><d><p><r><t>&b;</t></r></p></d>`})},
		"more than is read: word/document.xml": {corpus.ContentDOCX, docxOf(fill("<p/>", 9<<20))},
	} {
		_, err := NewReader().Text(t.Context(), []byte(c.body), c.format)
		if kappa.ErrorCode(err) != kappa.CodeMalformed || kappa.Retryable(err) || !strings.Contains(kappa.ErrorMessage(err), says) {
			t.Errorf("got %v, want a message that says %q", err, says)
		}
	}
	if _, err := NewReader().Recognise([]byte(zipSignature+directory), "a.zip", ""); !strings.Contains(kappa.ErrorMessage(err), "archive of 10001 files") {
		t.Errorf("an archive of many files: got %v", err)
	}
}

// manyChapters is a book of chapters that have nothing but tags.
func manyChapters(n, size int) string {
	files, items, spine := map[string]string{epubContainer: `<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>`}, "", ""
	chapter := "<html><!--" + fill("It melts. ", size) + "-->"
	for i := range n {
		files[fmt.Sprintf("%d.x", i)] = chapter
		items += fmt.Sprintf(`<item id="c%d" href="%d.x" media-type="application/xhtml+xml"/>`, i, i)
		spine += fmt.Sprintf(`<itemref idref="c%d"/>`, i)
	}
	files["book.opf"] = "<package><manifest>" + items + "</manifest><spine>" + spine + "</spine></package>"
	return archive(files)
}
