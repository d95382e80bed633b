package index

import "encoding/binary"

// dictionaryWriter writes the terms of a field, which are added in order.
type dictionaryWriter struct {
	out      *sections
	field    Field
	arena    []byte
	ends     []byte
	records  []byte
	hashes   []uint64
	signed   []byte // of texts
	encoded  []byte
	postings uint32 // bytes that were written
}

// newDictionaryWriter begins a field. Until it is finished nothing else is written to out.
func newDictionaryWriter(out *sections, f Field) *dictionaryWriter {
	w := &dictionaryWriter{out: out, field: f}
	out.at[w.section(4)][0] = out.size
	return w
}

func (w *dictionaryWriter) section(i int) section {
	return fieldSection + section(int(w.field)*fieldSections+i)
}

// add adds a term with the passages that it finds, which are in order, and with their impacts.
func (w *dictionaryWriter) add(term string, frequency uint32, passages []uint32, impacts []byte) {
	w.arena = append(w.arena, term...)
	w.ends = binary.LittleEndian.AppendUint32(w.ends, uint32(len(w.arena)))
	w.hashes = append(w.hashes, hash(term))
	if w.field == Texts {
		w.signed = binary.LittleEndian.AppendUint32(w.signed, signature(term))
	}
	at := uint32(none)
	if len(passages) > 0 {
		at = w.postings
		w.encoded = appendList(w.encoded[:0], passages, impacts)
		w.out.write(w.encoded)
		w.postings += uint32(len(w.encoded))
	}
	w.records = binary.LittleEndian.AppendUint32(w.records, frequency)
	w.records = binary.LittleEndian.AppendUint32(w.records, at)
}

// finish ends the field.
func (w *dictionaryWriter) finish() {
	w.out.at[w.section(4)][1] = w.out.size
	w.out.ends[w.field] = w.ends
	w.out.whole(w.section(0), w.arena)
	w.out.whole(w.section(1), w.ends)
	w.out.whole(w.section(2), w.records)
	w.out.whole(w.section(3), slotsOf(w.hashes))
	if w.field == Texts {
		w.out.whole(signatureSection, w.signed)
	}
}

// slotsOf returns a table of open addressing: the number of the term with such a hash plus
// one, or 0 where there is none. At most two of three slots are taken.
func slotsOf(hashes []uint64) []byte {
	if len(hashes) == 0 {
		return nil
	}
	size := 2
	for size*2 < len(hashes)*3 {
		size *= 2
	}
	slots := make([]byte, 4*size)
	for i, h := range hashes {
		at := int(h) & (size - 1)
		for number(slots, at) != 0 {
			at = (at + 1) & (size - 1)
		}
		binary.LittleEndian.PutUint32(slots[4*at:], uint32(i+1))
	}
	return slots
}
