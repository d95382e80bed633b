package formats

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
)

// book is an EPUB whose chapters are these pages.
func book(chapters ...string) string {
	files := map[string]string{
		"mimetype":    "application/epub+zip",
		epubContainer: `<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
		"OEBPS/nav.x": `<html><p>Contents</p></html>`,
	}
	items, spine := `<item id="nav" href="nav.x" media-type="application/xhtml+xml" properties="nav"/>`, `<itemref idref="nav"/>`
	for i, chapter := range chapters {
		name := fmt.Sprintf("text/%d a.xhtml", i)
		files["OEBPS/"+name] = chapter
		items += fmt.Sprintf(`<item id="c%d" href="text/%d%%20a.xhtml" media-type="application/xhtml+xml"/>`, i, i)
		spine += fmt.Sprintf(`<itemref idref="c%d"/>`, i)
	}
	files["OEBPS/book.opf"] = "<package><manifest>" + items + "</manifest><spine>" + spine + "</spine></package>"
	return archive(files)
}

func TestEPUB(t *testing.T) {
	format, d := readNamed(t, book(
		`<?xml version="1.0"?><html><head><title>x</title></head><body><h1>Ice</h1><p>It is cold.</p></body></html>`,
		`<html><body><h1>Snow</h1><h2>New</h2><p>It falls.</p></body></html>`), "a.zip")
	if want := "# Ice\n\nIt is cold.\n\n# Snow\n\n## New\n\nIt falls."; format != corpus.ContentEPUB || d.Text != want {
		t.Errorf("got %s and %q, want %q", format, d.Text, want)
	}
	if last := d.Places[len(d.Places)-1]; last.Section != "Snow > New" {
		t.Errorf("got %v", d.Places)
	}
	refused(t, archive(map[string]string{epubContainer: "<container/>"}), "broken")
	refused(t, book(), "no text")
	locked := strings.ReplaceAll(`<encryption><EncryptedData><CipherData><CipherReference URI="OEBPS/text/0%20a.xhtml"/></CipherData></EncryptedData></encryption>`, "\n", "")
	refused(t, archive(map[string]string{
		epubContainer: `<container><rootfile full-path="OEBPS/book.opf"/></container>`, epubEncryption: locked, "OEBPS/text/0 a.xhtml": "\x01\x02",
		"OEBPS/book.opf": `<package><item id="c" href="text/0%20a.xhtml" media-type="application/xhtml+xml"/><itemref idref="c"/></package>`,
	}), "encrypted")
}

func TestXLSX(t *testing.T) {
	f := excelize.NewFile()
	set := func(sheet, cell string, value any) {
		if err := f.SetCellValue(sheet, cell, value); err != nil {
			t.Fatal(err)
		}
	}
	for cell, value := range map[string]any{
		"A1": "Glaciers of the Alps", "A3": "Name", "B3": "Length", "C3": "Measured", "A4": "Aletsch", "B4": 22.6, "C4": time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC), "A5": "Gorner",
	} {
		set("Sheet1", cell, value)
	}
	for _, sheet := range []string{"Empty", "Rain"} {
		if _, err := f.NewSheet(sheet); err != nil {
			t.Fatal(err)
		}
	}
	set("Rain", "B2", "It rains.")
	var body bytes.Buffer
	if err := f.Write(&body); err != nil {
		t.Fatal(err)
	}
	format, d := readNamed(t, body.String(), "a.zip")
	want := "## Sheet1\n\nGlaciers of the Alps\n\nName: Aletsch; Length: 22.6; Measured: 2026-01-31\n\nGorner\n\n## Rain\n\nIt rains."
	if format != corpus.ContentXLSX || d.Text != want {
		t.Errorf("got %s and %q, want %q", format, d.Text, want)
	}
	refused(t, archive(map[string]string{xlsxBody: "<workbook/>"}), "cannot be read")
}

// bomb is an archive with a file of n bytes of one word, after a beginning.
func bomb(t *testing.T, name, begin string, n int, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for other, body := range files {
		f, err := w.Create(other)
		if err == nil {
			_, err = io.WriteString(f, body)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	f, err := w.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	block := []byte(strings.Repeat("ice", 1<<18))
	_, _ = io.WriteString(f, begin)
	for written := 0; written < n; written += len(block) {
		if _, err := f.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestArchivesHostile(t *testing.T) { testBombs(t, 9<<20, "a book", "a document") }

// TestArchivesHostile_Slow has archives of 100 MB of one word.
func TestArchivesHostile_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	testBombs(t, 100<<20)
}

// testBombs reads archives, by name or all, in which one file has size bytes.
func testBombs(t *testing.T, size int, names ...string) {
	container := map[string]string{
		epubContainer:    `<container><rootfile full-path="book.opf"/></container>`,
		"book.opf":       `<package><item id="c" href="c.x" media-type="application/xhtml+xml"/><itemref idref="c"/></package>`,
		"word/other.xml": "",
	}
	workbook := map[string]string{xlsxBody: `<workbook><sheets><sheet name="a" sheetId="1" r:id="r"/></sheets></workbook>`}
	bombs := map[string]func() string{
		"a book": func() string { return bomb(t, "c.x", "<html><p>", size, container) },
		"its contents": func() string {
			return bomb(t, "book.opf", "<package>", size, map[string]string{epubContainer: container[epubContainer]})
		},
		"a workbook": func() string { return bomb(t, "xl/worksheets/sheet1.xml", "<worksheet>", size, workbook) },
		"a document": func() string { return bomb(t, docxBody, "<document><p><t>", size, nil) },
	}
	if len(names) == 0 {
		names = slices.Collect(maps.Keys(bombs))
	}
	for _, name := range names {
		body := bombs[name]()
		start := time.Now()
		d, err := read(t, body)
		if kappa.ErrorCode(err) != kappa.CodeMalformed || !strings.Contains(kappa.ErrorMessage(err), "more than") && !strings.Contains(kappa.ErrorMessage(err), "at most 8 MB") {
			t.Errorf("%s: got %d bytes and %v", name, len(d.Text), err)
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s: it took %v", name, took)
		}
	}
}

// FuzzEPUB has books of one page.
func FuzzEPUB(f *testing.F) {
	f.Add("<html><body><h1>Ice</h1><p>10<sup>9</sup> <img alt='a river'></p></body></html>")
	f.Add("<?xml version='1.0'?><p>It melts")
	f.Fuzz(func(t *testing.T, page string) { fuzzed(t, book(page, page+"x"), corpus.ContentEPUB) })
}
