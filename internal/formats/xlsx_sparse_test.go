package formats

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/kappagraph/kappa/corpus"
)

// sheetOf is a workbook whose sheets are these, as they are in the archive.
func sheetOf(sheets ...string) string { return workbookOf(nil, sheets...) }

// workbookOf is a workbook of which some files are others.
func workbookOf(others map[string]string, sheets ...string) string {
	book := excelize.NewFile()
	for i := range sheets[1:] {
		if _, err := book.NewSheet(fmt.Sprintf("Sheet%d", i+2)); err != nil {
			panic(err)
		}
	}
	written, err := book.WriteToBuffer()
	if err != nil {
		panic(err)
	}
	files := map[string]string{}
	packed, err := zip.NewReader(bytes.NewReader(written.Bytes()), int64(written.Len()))
	if err != nil {
		panic(err)
	}
	for _, f := range packed.File {
		unpacked, err := f.Open()
		if err != nil {
			panic(err)
		}
		text, err := io.ReadAll(unpacked)
		if err != nil {
			panic(err)
		}
		files[f.Name] = string(text)
	}
	for i, sheet := range sheets {
		files[fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1)] = `<worksheet ` + sheetSpace + `><sheetData>` + sheet + `</sheetData></worksheet>`
	}
	maps.Copy(files, others)
	return archive(files)
}

const sheetSpace = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`

// farCells are rows of one cell, which stands in the last column.
func farCells(rows int) string {
	var sheet strings.Builder
	for i := range rows {
		fmt.Fprintf(&sheet, `<row r="%d"><c r="XFD%d" t="str"><v>ice %d</v></c></row>`, i+1, i+1, i+1)
	}
	return sheet.String()
}

// TestSparseSheets reads rows that hold a cell far from the others: they cost what they hold.
func TestSparseSheets(t *testing.T) {
	linear(t, 500, func(n int) string { return sheetOf(farCells(n)) }, corpus.ContentXLSX)
	if _, allocated := cost(t, sheetOf(farCells(1000)), corpus.ContentXLSX); allocated > 16<<20 {
		t.Errorf("1,000 rows of one cell took %d MB", allocated>>20)
	}
	d, err := read(t, sheetOf(`<row r="1"><c r="A1" t="str"><v>Name</v></c><c r="XFD1" t="str"><v>Melts</v></c></row>`+
		`<row r="2"><c r='B2'/><c r="XFD2" t="str"><v>soon</v></c></row><row/><row r="3"><c t="str"><v>Ice</v></c><c t="str"><v>cold</v></c></row><row r="4"><c t="str"><v>Fog</v></c><c r="XFD4"><v>5</v></c></row>`, farCells(100)))
	if err != nil {
		t.Fatal(err)
	}
	want := "## Sheet1\n\nsoon\n\nName: Ice; Column 2: cold\n\nName: Fog; Melts: 5\n\n## Sheet2\n\nice 1\n\nice 2"
	if !strings.HasPrefix(d.Text, want) || strings.Count(d.Text, "ice") != 100 {
		t.Errorf("got %.300q, want %q", d.Text, want)
	}
}

// TestSparseAsDense reads the same sheets as sparse ones and as others.
func TestSparseAsDense(t *testing.T) {
	for _, sheet := range []string{
		`<row r="1"><c r="A1" t="str"><v>Name</v></c><c r="C1" t="str"><v>Length</v></c></row><row r="2"><c r="C2"><v>22</v></c></row><row r="4"><c r="A4" t="inlineStr"><is><t>a</t></is></c><c r="B4"><f>1+1</f></c><c r="C4"/></row>`,
		`<x:row xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main" r="1"><x:c r="B1" t="str"><x:v>a&lt;b</x:v></x:c><!-- <c r="A1"> --></x:row>`,
		`<row><c t="str"><v>a</v></c><c r="D1" t="str"><v>b > c</v></c><c t="str"><v>d</v></c></row>`,
	} {
		far := `<row r="9"><c r="A9" t="str"><v>end</v></c></row>`
		dense, err := read(t, sheetOf(sheet, far))
		if err != nil {
			t.Fatal(err)
		}
		wide, err := read(t, sheetOf(sheet, far, farCells(100)))
		if got, _, _ := strings.Cut(wide.Text, "\n\n## Sheet3"); err != nil || got != dense.Text || dense.Text == "" {
			t.Errorf("%s: got %q and %v, want %q", sheet, got, err, dense.Text)
		}
	}
}

// TestWorkbookBounds has small workbooks that say little very often.
func TestWorkbookBounds(t *testing.T) {
	for says, list := range map[string]string{
		"formats of numbers; at most":   strings.Repeat(`<numFmt numFmtId="200" formatCode="0"/>`, maxXLSXFormats+1),
		"a format of numbers of 4.9 KB": `<numFmt numFmtId="200" formatCode="` + strings.Repeat("0", 5000) + `"/>`,
	} {
		refused(t, workbookOf(map[string]string{"xl/styles.xml": `<styleSheet ` + sheetSpace + `><numFmts>` + list + `</numFmts></styleSheet>`}, `<row><c><v>1</v></c></row>`), says)
	}
	refused(t, workbookOf(map[string]string{"xl/sharedStrings.xml": `<sst ` + sheetSpace + `><si><t xml:space="preserve">` + strings.Repeat(" ", 1<<20) + `</t></si></sst>`},
		`<row>`+strings.Repeat(`<c t="s"><v>0</v></c>`, 1000)+`</row>`), "more than 64 MB")
}

// FuzzSparse has whatever in place of a sheet: it is rewritten with all its cells, and no
// longer than by the lists of their columns.
func FuzzSparse(f *testing.F) {
	f.Add([]byte(farCells(3)))
	f.Add([]byte(`<x:row r="1"><x:c r='B1' t="str"><x:v>a>b</x:v></x:c><!-- <c r="A1"> --><c/></x:row><![CDATA[<row>]]><row/>`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := sparse{text: text, out: &bytes.Buffer{}}
		s.read()
		if n := s.out.Len(); n > 64*len(text)+64 {
			t.Errorf("%d bytes became %d", len(text), n)
		}
		again := sparse{text: text}
		if again.read(); again.cells != s.cells || again.width != s.width {
			t.Errorf("%d cells of %d are counted as %d of %d", s.cells, s.width, again.cells, again.width)
		}
	})
}
