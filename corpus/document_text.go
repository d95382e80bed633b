package corpus

import (
	"fmt"
	"slices"
	"sort"
)

// DocumentText is what was read of a document: what chunks are cut from, and what
// the offsets of quotes count in. The document itself keeps its own bytes.
type DocumentText struct {
	Text     string      // UTF-8, without NUL bytes
	Markup   ContentType // ContentPlain or ContentMarkdown
	Warnings []string    // what could not be read, or was not certain; a sentence each
	Places   []Place     // where pages and sections begin, in the order of Start

	// Pages is how many pages a document has of which Pictures, in their order, are pictures that
	// nobody has read yet.
	Pages    int
	Pictures []int
}

// Place says where in a document a part of its text stands: from Start, in bytes of
// the text, to the next Place.
type Place struct {
	Start   int
	Page    int    // from 1; 0 is unknown
	Section string // the path of headings, "Setup > Install"; "" is none
}

// String returns "page 3", "Setup > Install", or both; "" when nothing is known.
func (p Place) String() string {
	switch {
	case p.Page > 0 && p.Section != "":
		return fmt.Sprintf("page %d, %s", p.Page, p.Section)
	case p.Page > 0:
		return fmt.Sprintf("page %d", p.Page)
	}
	return p.Section
}

// PlacesIn returns the places of a part of the text, the first of which begins with
// the part or before it.
func (d DocumentText) PlacesIn(part Span) []Place {
	after := func(offset int) int {
		return sort.Search(len(d.Places), func(i int) bool { return d.Places[i].Start > offset })
	}
	first, end := max(after(part.Start)-1, 0), after(part.End-1)
	if first >= end {
		return nil
	}
	return slices.Clone(d.Places[first:end])
}

// MainText returns the text of a chunk with spaces in place of what stands around the main text:
// all that is left stands where it stood.
func (d DocumentText) MainText(c Chunk) string {
	var text []byte
	places := d.PlacesIn(c.Bytes)
	for i, p := range places {
		if p.Section != SectionNavigation && p.Section != SectionNotice {
			continue
		}
		if text == nil {
			text = []byte(c.Text)
		}
		from, to := max(p.Start-c.Bytes.Start, 0), len(text)
		if i+1 < len(places) {
			to = min(places[i+1].Start-c.Bytes.Start, to)
		}
		for at := from; at < to; at++ {
			if text[at] != '\n' {
				text[at] = ' '
			}
		}
	}
	if text == nil {
		return c.Text
	}
	return string(text)
}

// WordsOfPicture is how many words are assumed for a page that is a picture, before it is read.
const WordsOfPicture = 400
