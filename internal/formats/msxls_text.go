package formats

import (
	"encoding/binary"
	"strings"
)

// biffText reads texts in a record and those that continue it.
type biffText struct {
	parts     [][]byte // that have not been read; the first of them from at on
	at        int
	wideKnown bool // texts say whether they are UTF-16; those before Excel 97 are in a code page
	page      int
}

func (t *biffText) done() bool {
	for len(t.parts) > 0 && t.at >= len(t.parts[0]) {
		t.parts, t.at = t.parts[1:], 0
	}
	return len(t.parts) == 0
}

func (t *biffText) byte() byte {
	if t.done() {
		return 0
	}
	t.at++
	return t.parts[0][t.at-1]
}

func (t *biffText) short() uint16 { return uint16(t.byte()) | uint16(t.byte())<<8 }

// skip leaves out bytes.
func (t *biffText) skip(n int) {
	for n > 0 && !t.done() {
		step := min(n, len(t.parts[0])-t.at)
		t.at += step
		n -= step
	}
}

// text reads a text of n characters.
func (t *biffText) text(n int) string {
	wide := false
	if t.wideKnown {
		wide = t.byte()&1 != 0
	}
	return t.chars(n, wide)
}

// rich reads a text that is shared, with what says how it looks.
func (t *biffText) rich() string {
	const wideBit, phonetic, formatted, run = 1, 4, 8, 4
	n, flags := int(t.short()), t.byte()
	runs, more := 0, 0
	if flags&formatted != 0 {
		runs = int(t.short())
	}
	if flags&phonetic != 0 {
		more = int(t.short()) | int(t.short())<<16
	}
	text := t.chars(n, flags&wideBit != 0)
	t.skip(run * runs)
	t.skip(more)
	return text
}

// chars reads n characters. In the record that continues the text a byte says anew whether
// they are UTF-16.
func (t *biffText) chars(n int, wide bool) string {
	var b strings.Builder
	for first := true; n > 0 && !t.done(); first = false {
		if t.at == 0 && !first && t.wideKnown {
			wide = t.byte()&1 != 0
		}
		width := 1
		if wide {
			width = 2
		}
		part := t.parts[0][t.at:]
		part = part[:min(n*width, len(part)/width*width)]
		if len(part) == 0 {
			t.at = len(t.parts[0])
			continue
		}
		t.at += len(part)
		n -= len(part) / width
		switch {
		case wide:
			b.WriteString(utf16Text(part))
		case t.wideKnown:
			b.WriteString(latin1(part))
		default:
			b.WriteString(decodePage(part, t.page))
		}
	}
	return b.String()
}

// le32 reads an unsigned number of four bytes, or 0.
func le32(b []byte) uint32 {
	if len(b) < 4 {
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}
