package formats

import (
	"math"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

// biffOf returns a record of a workbook.
func biffOf(kind int, parts ...any) string {
	content := le(parts...)
	return le(uint16(kind), uint16(len(content))) + content
}

// cell returns what a record of a cell begins with: its row, its column and its style.
func cell(row, column, style int) string { return le(uint16(row), uint16(column), uint16(style)) }

// bookOld returns a workbook of Excel 97 whose sheet has these records; texts are shared.
func bookOld(texts []string, sheet string) string {
	shared := ""
	for _, text := range texts {
		if strings.HasPrefix(text, "wide ") {
			u := units(text)
			shared += le(uint16(len(u)/2), byte(1)) + u
		} else {
			shared += le(uint16(len(text)), byte(0)) + text
		}
	}
	table := biffOf(biffStrings, uint32(len(texts)), uint32(len(texts)), shared)
	if strings.HasPrefix(texts[len(texts)-1], "wide ") { // the last one goes on in another record
		n := len(shared) - 6
		table = biffOf(biffStrings, uint32(len(texts)), uint32(len(texts)), shared[:n]) + biffOf(biffMore, byte(1), shared[n:])
	}
	globals := func(at int) string {
		return biffOf(biffBegins, uint16(biff8), uint16(5), uint32(0)) +
			biffOf(biffFormat, uint16(170), uint16(11), byte(0), `dd/mm/yyyy;@`[:11]) + biffOf(biffFormat, uint16(171), uint16(8), byte(0), `"CHF "0.`) +
			biffOf(biffStyle, uint16(0), uint16(0)) + biffOf(biffStyle, uint16(0), uint16(170)) + biffOf(biffStyle, uint16(0), uint16(4)) + biffOf(biffStyle, uint16(0), uint16(10)) +
			biffOf(biffSheet, uint32(at), uint16(0), byte(3), byte(0), "Ice") + table + biffOf(biffEnds)
	}
	stream := globals(len(globals(0))) + biffOf(biffBegins, uint16(biff8), uint16(16)) + sheet + biffOf(biffEnds)
	return compound(map[string]string{"Workbook": stream})
}

func TestXLS(t *testing.T) {
	d, err := read(t, bookOld([]string{"Name", "Born", "Size", "wide лёд"},
		biffOf(biffShared, cell(0, 0, 0), uint32(0))+biffOf(biffShared, cell(0, 1, 0), uint32(1))+biffOf(biffShared, cell(0, 3, 0), uint32(2))+
			biffOf(biffShared, cell(1, 0, 0), uint32(3))+biffOf(biffNumber, cell(1, 1, 1), math.Float64bits(29342))+biffOf(biffShort, cell(1, 3, 2), uint32(123456789<<2|3))+
			biffOf(biffLabel, cell(2, 0, 0), uint16(4), byte(0), "caf\xe9")+biffOf(biffShorts, uint16(2), uint16(2), uint16(3), uint32(25<<2|3), uint16(0), uint32(7<<2|2), uint16(3))+
			biffOf(biffFormula, cell(3, 0, 0), byte(0), "\x00\x00\x00\x00\x00", uint16(0xFFFF))+biffOf(biffResult, uint16(3), byte(0), "sum")+
			biffOf(biffFormula, cell(3, 3, 0), math.Float64bits(123456789012345))+biffOf(biffBool, cell(3, 4, 0), byte(1), byte(0))+biffOf(biffBool, cell(3, 5, 0), byte(7), byte(1))+
			biffOf(biffFormula, cell(4, 0, 0), byte(2), byte(0), byte(0x2A), "\x00\x00\x00", uint16(0xFFFF))+
			biffOf(biffBegins, uint16(biff8), uint16(32))+biffOf(biffLabel, cell(9, 0, 0), uint16(5), byte(0), "chart")+biffOf(biffEnds)+
			biffOf(biffBox, strings.Repeat("\x00", 10), uint16(5), uint16(0))+biffOf(biffMore, byte(0), "A box")))
	want := "## Ice\n\nName: wide лёд; Born: 1980-05-01; Size: 1,234,567.89\n\nName: café; Column 3: 25.00%; Size: 7\n\nName: sum; Size: 123456789012345; Column 5: TRUE; Column 6: #DIV/0!\n\n#N/A\n\nA box"
	want = strings.Replace(want, "25.00%", "25.00%", 1)
	if err != nil || d.Text != want || d.Markup != corpus.ContentMarkdown {
		t.Errorf("got %q and %v, want %q", d.Text, err, want)
	}
	refused(t, compound(map[string]string{"Workbook": biffOf(biffBegins, uint16(biff8), uint16(5)) + biffOf(biffPassword, uint16(1))}), "encrypted: remove its password")
	refused(t, compound(map[string]string{"Workbook": biffOf(biffBegins, uint16(0x400), uint16(5))}), "save it as .xlsx")
	refused(t, compound(map[string]string{"Workbook": "x"}), "Excel 4 or older")
}

// TestXLSOfExcel5 has texts in a code page.
func TestXLSOfExcel5(t *testing.T) {
	globals := func(at int) string {
		return biffOf(biffBegins, uint16(biff5), uint16(5)) + biffOf(biffPage, uint16(1251)) + biffOf(biffSheet, uint32(at), uint16(0), byte(3), "\xcb\xb8\xe4") + biffOf(biffEnds)
	}
	d, err := read(t, compound(map[string]string{"Book": globals(len(globals(0))) + biffOf(biffBegins, uint16(biff5), uint16(16)) + biffOf(biffLabel, cell(0, 0, 0), uint16(3), "\xeb\xb8\xe4") + biffOf(biffEnds)}))
	if err != nil || d.Text != "## Лёд\n\nлёд" {
		t.Errorf("got %q and %v", d.Text, err)
	}
}

func TestNumberFormats(t *testing.T) {
	for _, c := range []struct {
		number float64
		format string
		want   string
	}{
		{0.1 + 0.2, "", "0.3"},
		{1234.5, "#,##0.00", "1,234.50"},
		{-1234567, "#,##0", "-1,234,567"},
		{0.256, "0%", "26%"},
		{5, `"CHF "0.00`, "CHF 5.00"},
		{5, `[$€-407] #,##0`, "€5"},
		{29342.5, "dd/mm/yyyy hh:mm", "1980-05-01 12:00:00"},
		{0.5, "h:mm AM/PM", "12:00:00"},
		{1e30, "", "1E+30"},
		{41234567890123, "General", "41234567890123"},
		{7, "0.0E+00", "7"},
		{3, `0" km"`, "3 km"},
		{-5, "yyyy", "-5"},
		{2.5, "0.##", "2.5"},
	} {
		if got := (numberDates{}).shown(c.number, 0, c.format); got != c.want {
			t.Errorf("%v as %q: got %q, want %q", c.number, c.format, got, c.want)
		}
	}
	if got := (numberDates{from1904: true}).shown(1, 14, ""); got != "1904-01-02" {
		t.Errorf("from 1904: got %q", got)
	}
}

func FuzzXLS(f *testing.F) {
	f.Add([]byte(biffOf(biffLabel, cell(0, 0, 0), uint16(3), byte(0), "ice")))
	f.Add([]byte(biffOf(biffShorts, uint16(2), uint16(2), uint16(3), uint32(25), uint16(0)) + biffOf(biffBox, strings.Repeat("\x00", 12)) + biffOf(biffMore, byte(1))))
	f.Fuzz(func(t *testing.T, records []byte) {
		fuzzed(t, bookOld([]string{"wide ice"}, string(records)), corpus.ContentXLS)
		fuzzed(t, compound(map[string]string{"Workbook": biffOf(biffBegins, uint16(biff8), uint16(5)) + string(records)}), corpus.ContentXLS)
	})
}
