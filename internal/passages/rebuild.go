package passages

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
)

// mostBetween is how much white space stands between two chunks at most, in bytes. What is
// further apart are parts of a text whose middle was taken elsewhere.
const mostBetween = 4096

// run is a part of a document that its chunks have without a gap.
type run struct {
	text   strings.Builder
	start  int // of the text in the document, in bytes
	chunks []corpus.UncutChunk
	places []corpus.Place // from the beginning of the text
}

func (r *run) end() int { return r.start + r.text.Len() }

// runsOf puts chunks together, which are in the order of their beginnings. They overlap, and
// only white space stands between them.
func runsOf(chunks []corpus.UncutChunk) []*run {
	var all []*run
	for _, c := range chunks {
		if len(all) == 0 || c.Bytes.Start > all[len(all)-1].end()+mostBetween {
			all = append(all, &run{start: c.Bytes.Start})
		}
		all[len(all)-1].add(c)
	}
	return all
}

func (r *run) add(c corpus.UncutChunk) {
	if between := c.Bytes.Start - r.end(); between > 0 {
		space := " "
		if last := r.chunks[len(r.chunks)-1]; last.Boundary == corpus.BoundaryParagraph || c.Text != "" && strings.ContainsAny(c.Text[:1], "#|`~-*+>") {
			space = "\n"
		}
		r.text.WriteString(strings.Repeat(space, between))
	}
	if known := r.end() - c.Bytes.Start; known < len(c.Text) {
		for known < len(c.Text) && !utf8.RuneStart(c.Text[known]) {
			known++ // a chunk that is not as long as it says
		}
		r.text.WriteString(c.Text[known:])
	}
	for _, p := range c.Places {
		p.Start = max(p.Start-r.start, 0)
		if len(r.places) == 0 || p.Start > r.places[len(r.places)-1].Start {
			r.places = append(r.places, p)
		}
	}
	r.chunks = append(r.chunks, c)
}

// chars returns how many characters of the document stand before a byte of the text.
func (r *run) chars(at int) int {
	i := sort.Search(len(r.chunks), func(i int) bool { return r.chunks[i].Bytes.Start-r.start > at }) - 1
	c := r.chunks[i]
	return c.StartChar + utf8.RuneCountInString(r.text.String()[c.Bytes.Start-r.start:at])
}

// cut returns the passages of the chunks by the numbers of those; number is that of the last
// passage before.
func (r *run) cut(cutter Cutter, markup corpus.ContentType, number *int) map[int32][]corpus.Passage {
	of, i := map[int32][]corpus.Passage{}, 0
	for p := range cutter.Cut(corpus.DocumentText{Text: r.text.String(), Markup: markup, Places: r.places}) {
		*number++
		p.Number = *number
		p.StartChar = r.chars(p.Start)
		p.EndChar = p.StartChar + utf8.RuneCountInString(p.Text)
		p.Start, p.End = p.Start+r.start, p.End+r.start
		for i < len(r.chunks)-1 && r.chunks[i].Bytes.End < p.End {
			i++
		}
		of[r.chunks[i].Number] = append(of[r.chunks[i].Number], p)
	}
	return of
}
