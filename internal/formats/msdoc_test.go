package formats

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

// docPart is text of a document of Word 97, with the style of its paragraph and what words say
// of it.
type docPart struct {
	text  string // in Windows-1252
	style uint16
	words string // of the paragraph
	chars string // words of its characters
}

// wordOld returns a document of Word 97; more is how many characters of footnotes, headers,
// macros, comments, endnotes and text boxes it ends with.
func wordOld(parts []docPart, more ...uint32) string {
	const begins = 512
	text := ""
	var ends []uint32
	for _, p := range parts {
		text += p.text
		ends = append(ends, begins+uint32(len(text)))
	}
	page := func(entry int, properties func(docPart) string) string {
		b := make([]byte, docPage)
		binary.LittleEndian.PutUint32(b, begins)
		at := docPage - 2
		for i, p := range parts {
			binary.LittleEndian.PutUint32(b[4+4*i:], ends[i])
			what := properties(p)
			at = (at - len(what)) &^ 1
			copy(b[at:], what)
			b[4*(len(parts)+1)+entry*i] = byte(at / 2)
		}
		b[docPage-1] = byte(len(parts))
		return string(b)
	}
	papx := page(13, func(p docPart) string {
		words := p.words
		if len(words)%2 != 0 {
			words += "\x00"
		}
		return le(byte(0), byte((2+len(words))/2), p.style, words)
	})
	chpx := page(1, func(p docPart) string { return le(byte(len(p.chars)), p.chars) })
	body := text + strings.Repeat("\x00", (docPage-len(text)%docPage)%docPage)
	first := uint32(begins+len(body)) / docPage
	table := func(page uint32) string { return le(uint32(begins), ends[len(ends)-1], page) }
	clx := le(byte(2), uint32(16), uint32(0), uint32(len(text)), uint16(0), uint32(begins*2|1<<30), uint16(0))
	fib := make([]byte, begins)
	counts := uint32(0)
	for i, n := range more {
		binary.LittleEndian.PutUint32(fib[fibCounts+4*(i+1):], n)
		counts += n
	}
	binary.LittleEndian.PutUint16(fib[2:], fibWord97)
	binary.LittleEndian.PutUint32(fib[fibCounts:], uint32(len(text))-counts)
	at := uint32(0)
	for _, p := range []struct {
		n    int
		text string
	}{{fibClx, clx}, {fibPapx, table(first)}, {fibChpx, table(first + 1)}} {
		binary.LittleEndian.PutUint32(fib[fibPairs+8*p.n:], at)
		binary.LittleEndian.PutUint32(fib[fibPairs+8*p.n+4:], uint32(len(p.text)))
		at += uint32(len(p.text))
	}
	return compound(map[string]string{"WordDocument": string(fib) + body + papx + chpx, "0Table": clx + table(first) + table(first+1)})
}

func TestDOC(t *testing.T) {
	inTable, rowEnds := le(uint16(sprmInTable), byte(1)), le(uint16(sprmInTable), byte(1), uint16(sprmRowEnds), byte(1))
	d, err := read(t, wordOld([]docPart{
		{text: "Glaciers\r", style: 1},
		{text: "A caf\xe9 \x13 HYPERLINK \"x\" \x14on ice\x15"},
		{text: " sinks", chars: le(uint16(0x4A30), uint16(1), uint16(sprmDeleted), byte(1))},
		{text: " melts\x02.\r"},
		{text: "Name\x07", words: inTable},
		{text: "\x07", words: inTable},
		{text: "22\r", words: inTable},
		{text: "km\x07", words: inTable},
		{text: "\x07", words: rowEnds},
		{text: "End\x0b\x1e1.\r"},
		{text: "\x02 Cold.\r"},
		{text: "Header\r"},
		{text: "\x05Really?\r"},
	}, 8, 7, 0, 9))
	want := "# Glaciers\n\nA café on ice melts.\n\nName |  | 22 km\n\nEnd -1.\n\nFootnote: Cold.\n\nComment: Really?\n\nHeader"
	if err != nil || d.Text != want || d.Markup != corpus.ContentMarkdown {
		t.Errorf("got %q and %v, want %q", d.Text, err, want)
	}
	broken := func(change func(fib []byte)) string {
		fib := make([]byte, fibLeast+8)
		binary.LittleEndian.PutUint16(fib[2:], fibWord97)
		change(fib)
		return compound(map[string]string{"WordDocument": string(fib)})
	}
	refused(t, broken(func(fib []byte) { fib[2], fib[fibFlags] = 0x65, flagComplex }), "where its text is cannot be found. Open it in Word or LibreOffice and save it as .docx")
	refused(t, broken(func(fib []byte) { fib[2] = 0x21 }), "Word 2 or older, whose format is not read")
	refused(t, broken(func(fib []byte) { fib[fibFlags+1] = 1 }), "encrypted: remove its password")
	refused(t, broken(func([]byte) {}), "where its text is cannot be found")
}

// TestDOCInUTF16 has text in two pieces, of which the one is in UTF-16.
func TestDOCInUTF16(t *testing.T) {
	text := "ice " + units("лёд 氷\r")
	clx := le(byte(2), uint32(28), uint32(0), uint32(4), uint32(10), uint16(0), uint32(512*2|1<<30), uint16(0), uint16(0), uint32(516), uint16(0))
	fib := make([]byte, 512)
	binary.LittleEndian.PutUint16(fib[2:], fibWord97)
	binary.LittleEndian.PutUint16(fib[fibFlags:], flagTable1)
	binary.LittleEndian.PutUint32(fib[fibCounts:], 10)
	binary.LittleEndian.PutUint32(fib[fibPairs+8*fibClx+4:], uint32(len(clx)))
	d, err := read(t, compound(map[string]string{"WordDocument": string(fib) + text, "1Table": clx}))
	if err != nil || d.Text != "ice лёд 氷\n\n" {
		t.Errorf("got %q and %v", d.Text, err)
	}
}

// TestDOCOfWord95 has its text in one piece, or in two whose order is not that in the file.
func TestDOCOfWord95(t *testing.T) {
	fib := make([]byte, 512)
	fib[2] = 0x68
	binary.LittleEndian.PutUint32(fib[fibOldText:], 512)
	binary.LittleEndian.PutUint32(fib[fibOldText+4:], 518)
	binary.LittleEndian.PutUint32(fib[fibOldCounts:], 6)
	d, err := read(t, compound(map[string]string{"WordDocument": string(fib) + "caf\xe9.\rmore"}))
	if err != nil || d.Text != "café.\n\n" {
		t.Errorf("got %q and %v", d.Text, err)
	}
	fib[fibLanguage] = 0x19
	if d, err = read(t, compound(map[string]string{"WordDocument": string(fib) + "\xeb\xb8\xe4.\r\r"})); err != nil || d.Text != "лёд.\n\n" {
		t.Errorf("Russian: got %q and %v", d.Text, err)
	}
	fib[fibLanguage], fib[fibMachine] = 0x0C, 1
	if d, err = read(t, compound(map[string]string{"WordDocument": string(fib) + "caf\x8e.\r"})); err != nil || d.Text != "café.\n\n" {
		t.Errorf("of a Mac: got %q and %v", d.Text, err)
	}
	fib[fibMachine] = 0
	clx := le(byte(2), uint32(28), uint32(0), uint32(4), uint32(6), uint16(0), uint32(514), uint16(0), uint16(0), uint32(512), uint16(0))
	fib[fibFlags] = flagComplex
	binary.LittleEndian.PutUint32(fib[fibOldClx:], 518)
	binary.LittleEndian.PutUint32(fib[fibOldClx+4:], uint32(len(clx)))
	d, err = read(t, compound(map[string]string{"WordDocument": string(fib) + ".\rcaf\xe9" + clx}))
	if err != nil || d.Text != "café.\n\n" {
		t.Errorf("in pieces: got %q and %v", d.Text, err)
	}
}

func FuzzDOC(f *testing.F) {
	whole := wordOld([]docPart{{text: "Ice\r", style: 1}, {text: "Snow\x07\x07\r"}}, 2)
	f.Add([]byte(whole), 0)
	f.Add([]byte(whole), 700)
	f.Fuzz(func(t *testing.T, change []byte, at int) {
		fuzzed(t, changed(whole, change, at), corpus.ContentDOC)
		fuzzed(t, compound(map[string]string{"WordDocument": string(change), "0Table": string(change), "1Table": string(change)}), corpus.ContentDOC)
	})
}

// changed returns a document with other bytes at some place.
func changed(whole string, change []byte, at int) string {
	b := []byte(whole)
	if at >= 0 && at < len(b) {
		copy(b[at:], change[:min(len(change), 64)])
	}
	return string(b)
}
