package formats

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"
	"unicode/utf16"
)

// docRange is what holds for the text from one byte of the document to another.
type docRange struct {
	from, to int
	level    int  // of the heading that the paragraph is; 0 is none
	inTable  bool // it is in a cell
	rowEnds  bool // it is what ends a row of a table
	deleted  bool
	raised   bool
}

// rangeAt returns the range that a byte is in, of ranges in their order.
func rangeAt(ranges []docRange, at int) docRange {
	i := sort.Search(len(ranges), func(i int) bool { return ranges[i].to > at })
	if i < len(ranges) && ranges[i].from <= at {
		return ranges[i]
	}
	return docRange{from: at, to: at + 1}
}

// The words that say what holds for text, and where in the file information block the pages of
// them are.
const (
	sprmInTable = 0x2416
	sprmRowEnds = 0x2417
	sprmLevel   = 0x2640 // of a paragraph in the outline
	sprmDeleted = 0x0800
	sprmRaised  = 0x2A48 // 1: superscript, 2: subscript

	fibChpx = 12
	docPage = 512
)

// findRanges reads what holds for paragraphs, or for characters, from the pages of it.
func (d *msdoc) findRanges(fib int, read func(page []byte, i, count int) docRange) []docRange {
	const position, sector = 4, 4
	table := d.pair(fib)
	n := (len(table) - position) / (position + sector)
	var ranges []docRange
	for i := range max(n, 0) {
		number := int(binary.LittleEndian.Uint32(table[position*(n+1)+sector*i:])) & 0x3FFFFF
		page := slice(d.main, number*docPage, docPage)
		if len(page) < docPage || len(ranges) > len(d.main) {
			continue
		}
		count := int(page[docPage-1])
		for j := range min(count, docPage/8) {
			r := read(page, j, count)
			r.from, r.to = int(binary.LittleEndian.Uint32(page[4*j:])), int(binary.LittleEndian.Uint32(page[4*j+4:]))
			ranges = append(ranges, r)
		}
	}
	slices.SortStableFunc(ranges, func(a, b docRange) int { return cmp.Compare(a.to, b.to) })
	return ranges
}

// paragraphRange reads what holds for a paragraph: the first nine styles are those of headings.
func paragraphRange(page []byte, i, count int) docRange {
	const entry, last, most = 13, 9, 6
	var r docRange
	properties := wordsAt(page, 4*(count+1)+entry*i, true)
	if len(properties) < 2 {
		return r
	}
	if style := int(binary.LittleEndian.Uint16(properties)); style >= 1 && style <= last {
		r.level = min(style, most)
	}
	sprms(properties[2:], func(word uint16, operand byte) {
		switch word {
		case sprmInTable:
			r.inTable = operand != 0
		case sprmRowEnds:
			r.rowEnds = operand != 0
		case sprmLevel:
			if r.level == 0 && operand < most {
				r.level = int(operand) + 1
			}
		}
	})
	return r
}

// characterRange reads what holds for characters.
func characterRange(page []byte, i, count int) docRange {
	var r docRange
	sprms(wordsAt(page, 4*(count+1)+i, false), func(word uint16, operand byte) {
		switch word {
		case sprmDeleted:
			r.deleted = operand != 0
		case sprmRaised:
			r.raised = operand == 1
		}
	})
	return r
}

// wordsAt returns the words that a byte of a page refers to: those of a paragraph may say how
// long they are in another way.
func wordsAt(page []byte, at int, paragraph bool) []byte {
	if at >= docPage-1 {
		return nil
	}
	from := 2 * int(page[at])
	if from == 0 || from+2 > docPage {
		return nil
	}
	n := int(page[from])
	switch {
	case !paragraph:
		return slice(page, from+1, n)
	case n == 0:
		return slice(page, from+2, 2*int(page[from+1]))
	}
	return slice(page, from+1, 2*n-1)
}

// sprms calls f with each word and the first byte after it.
func sprms(list []byte, f func(word uint16, operand byte)) {
	const variable, defineTable, changeTabs = 6, 0xD608, 0xC615
	for len(list) > 2 {
		word := binary.LittleEndian.Uint16(list)
		f(word, list[2])
		n := []int{1, 1, 2, 4, 2, 2, 0, 3}[word>>13]
		switch {
		case word == defineTable && len(list) > 3:
			n = int(binary.LittleEndian.Uint16(list[2:])) + 1
		case word == changeTabs && list[2] == 255:
			return
		case word>>13 == variable:
			n = int(list[2]) + 1
		}
		list = list[min(2+n, len(list)):]
	}
}

// decodeUnits decodes UTF-16.
func decodeUnits(units []uint16) string { return string(utf16.Decode(units)) }
