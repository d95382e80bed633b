package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"sync"

	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// A segment is sections, one behind the other in the order in which they were written, then
// its head, then a tail of fixed size: the length of the head, a checksum of all that is
// before it, and the magic. All numbers are little endian. Whoever reads it needs no other
// memory, whether it is a file that is mapped or a slice.

// magic ends every segment. Its last digits are the version of the format, and of the keys by
// which definitions are found.
const magic = "kgindx03"

const tailSize = 4 + 4 + len(magic)

// section is a part of a segment.
type section int

const (
	rowSection section = iota
	numberSection
	forwardSection
	wordSection
	spellingSection
	documentSection
	gramSection
	gramCountSection
	definitionSection
	definitionEndSection
	definitionRowSection
	signatureSection
	fieldSection // the first of the first field
)

const (
	fieldSections = 5 // arena, ends, records, slots, postings
	sectionCount  = int(fieldSection) + postedFields*fieldSections
)

// head says what a segment is.
type head struct {
	Number    uint64   // of the segment; its file is named after it
	Parents   []uint64 // the segments it was merged from
	Origin    string   // the database that the passages come from
	Words     int64    // of all passages, without those around them
	Average   float64  // words of a passage, which impacts were reckoned with
	Languages []string // by the number that rows have
}

var errDamaged = errors.New("it is damaged")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// tokeniser is a number that differs when words are cut in another way. Passages that were
// cut in another way would not be found.
var tokeniser = sync.OnceValue(func() uint32 {
	const sample = "The Café's users aren't running maxJobs of kg-data/v2.6.3 at 10,000.50 %! Größe ﬁ Über straße. " +
		"Где находится ёлка? 東京タワーは高い。สวัสดีชาวโลก المدرسة الكبيرة हिन्दी भाषा 대한민국 서울 Ελλάδα. İstanbul naïve generalization organizing"
	sum := crc32.New(castagnoli)
	for _, english := range []bool{false, true} {
		text := words.Cut(sample, english)
		for _, w := range text.Words {
			fmt.Fprint(sum, w.Text, "\x00", w.Stem, "\x00", words.Prefix(w.Text), "\x00", words.Function(w.Text), "\x00")
			for gram := range words.Grams(w.Text) {
				io.WriteString(sum, gram+"\x00") //nolint:errcheck // a checksum takes everything
			}
		}
		fmt.Fprint(sum, text.Sentences)
	}
	return sum.Sum32()
})

// sections writes a segment, section by section.
type sections struct {
	to   io.Writer
	err  error // the first of a Write
	sum  uint32
	size uint64
	at   [sectionCount][2]uint64 // start and end
	ends [postedFields][]byte    // of the terms of the fields that were written
}

// write appends to the section that was begun last.
func (s *sections) write(p []byte) {
	if s.err != nil {
		return
	}
	s.sum = crc32.Update(s.sum, castagnoli, p)
	s.size += uint64(len(p))
	_, s.err = s.to.Write(p)
}

// whole writes a section at once.
func (s *sections) whole(which section, p []byte) {
	s.at[which][0] = s.size
	s.write(p)
	s.at[which][1] = s.size
}

// finish writes head and tail.
func (s *sections) finish(h *head) error {
	start := s.size
	le := binary.LittleEndian
	var p []byte
	for _, at := range s.at {
		p = le.AppendUint64(le.AppendUint64(p, at[0]), at[1])
	}
	p = le.AppendUint32(p, tokeniser())
	p = le.AppendUint64(p, h.Number)
	p = le.AppendUint64(p, uint64(h.Words))
	p = le.AppendUint64(p, math.Float64bits(h.Average))
	p = appendString(p, h.Origin)
	p = binary.AppendUvarint(p, uint64(len(h.Parents)))
	for _, parent := range h.Parents {
		p = binary.AppendUvarint(p, parent)
	}
	p = binary.AppendUvarint(p, uint64(len(h.Languages)))
	for _, language := range h.Languages {
		p = appendString(p, language)
	}
	s.write(p)
	s.write(le.AppendUint32(nil, uint32(s.size-start)))
	s.write(append(le.AppendUint32(nil, s.sum), magic...))
	return s.err
}

func appendString(p []byte, s string) []byte {
	return append(binary.AppendUvarint(p, uint64(len(s))), s...)
}
