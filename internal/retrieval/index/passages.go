package index

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// passageWriter writes what a segment knows of its passages besides the terms that find them.
type passageWriter struct {
	rows        []byte
	ids         []int32
	documents   []int32
	languages   []string
	definitions []definition
	words       int64
}

type definition struct {
	term    string
	passage uint32
}

// language returns the number of a language in this segment. There is room for 256; the
// others are unknown ones.
func (w *passageWriter) language(name string) byte {
	i := slices.Index(w.languages, name)
	if i < 0 {
		if len(w.languages) == 256 {
			return 0
		}
		if len(w.languages) == 0 && name != "" {
			w.languages = append(w.languages, "")
		}
		i = len(w.languages)
		w.languages = append(w.languages, name)
	}
	return byte(i)
}

// add adds a passage whose words have been written up to r.forward.
func (w *passageWriter) add(r *row) {
	w.rows = appendRow(w.rows, r)
	w.ids = append(w.ids, r.ID)
	w.words += int64(r.length)
}

// finish writes the sections.
func (w *passageWriter) finish(out *sections) {
	out.whole(rowSection, w.rows)
	order := make([]uint32, len(w.ids))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(w.ids[a], w.ids[b]) })
	out.whole(numberSection, appendNumbers(nil, order))
	var runs []byte
	for _, r := range runsIn(w.documents) {
		runs = appendNumbers(runs, []uint32{uint32(r.document), r.start, r.end})
	}
	out.whole(documentSection, runs)
	slices.SortFunc(w.definitions, func(a, b definition) int {
		return cmp.Or(cmp.Compare(a.term, b.term), cmp.Compare(a.passage, b.passage))
	})
	var arena, ends, rows []byte
	for _, d := range slices.Compact(w.definitions) {
		arena = append(arena, d.term...)
		ends = binary.LittleEndian.AppendUint32(ends, uint32(len(arena)))
		rows = binary.LittleEndian.AppendUint32(rows, d.passage)
	}
	out.whole(definitionSection, arena)
	out.whole(definitionEndSection, ends)
	out.whole(definitionRowSection, rows)
}

func appendNumbers(p []byte, numbers []uint32) []byte {
	p = slices.Grow(p, 4*len(numbers))
	for _, n := range numbers {
		p = binary.LittleEndian.AppendUint32(p, n)
	}
	return p
}
