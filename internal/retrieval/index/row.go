package index

import "encoding/binary"

const rowSize = 32

// row is a passage in a segment, besides its words.
type row struct {
	Meta

	stamp   int32
	forward uint32 // where its words end
	length  uint32 // how many there are
	tongue  byte   // the number of its language
}

func appendRow(p []byte, r *row) []byte {
	le := binary.LittleEndian
	for _, n := range [...]int32{r.ID, r.Source, r.Document, r.Ontology, r.stamp, int32(r.forward), int32(r.length)} {
		p = le.AppendUint32(p, uint32(n))
	}
	english := byte(0)
	if r.English {
		english = 1
	}
	return append(p, r.Class, r.tongue, english, r.Kind)
}

// meta reads what is known of a passage.
func (s *segment) meta(i uint32, m *Meta) {
	p := s.rows[i*rowSize : i*rowSize+rowSize]
	le := binary.LittleEndian
	m.ID, m.Source = int32(le.Uint32(p)), int32(le.Uint32(p[4:]))
	m.Document, m.Ontology = int32(le.Uint32(p[8:])), int32(le.Uint32(p[12:]))
	m.Class, m.Language, m.English, m.Kind = p[28], s.head.Languages[p[29]], p[30] == 1, p[31]
}

// row reads a whole row.
func (s *segment) row(i uint32) row {
	p := s.rows[i*rowSize : i*rowSize+rowSize]
	r := row{stamp: s.column(i, 16), forward: uint32(s.column(i, 20)), length: s.length(i), tongue: p[29]}
	s.meta(i, &r.Meta)
	return r
}

func (s *segment) column(i uint32, at int) int32 {
	return int32(binary.LittleEndian.Uint32(s.rows[int(i)*rowSize+at:]))
}

func (s *segment) id(i uint32) int32       { return s.column(i, 0) }
func (s *segment) document(i uint32) int32 { return s.column(i, 8) }
func (s *segment) length(i uint32) uint32  { return uint32(s.column(i, 24)) }
