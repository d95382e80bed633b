package formats

import "encoding/binary"

// rtfDictionary is what packed rich text may refer to before its own beginning.
const rtfDictionary = `{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0` + "\r\n" + `\par \pard\plain\f0\fs20\b\i\u\tab\tx`

// unpackRTF unpacks the rich text of a message: each bit of a byte says whether a byte follows,
// or where in the last 4096 bytes what comes next stands already.
func unpackRTF(packed []byte) ([]byte, error) {
	const header, isPacked, isPlain, window, shortest = 16, 0x75465A4C, 0x414C454D, 4096, 2
	if len(packed) < header {
		return nil, malformed("The text of the message is broken: it is cut short.")
	}
	size := int(binary.LittleEndian.Uint32(packed[4:]))
	switch binary.LittleEndian.Uint32(packed[8:]) {
	case isPlain:
		return slice(packed, header, size), nil
	case isPacked:
	default:
		return nil, malformed("The text of the message is broken: how it is packed is not known.")
	}
	var ring [window]byte
	at := copy(ring[:], rtfDictionary)
	var out []byte
	put := func(c byte) {
		out = append(out, c)
		ring[at] = c
		at = (at + 1) % window
	}
	for in := packed[header:]; len(in) > 0 && len(out) < size; {
		flags := in[0]
		in = in[1:]
		for bit := 0; bit < 8 && len(in) > 0; bit++ {
			if flags>>bit&1 == 0 {
				put(in[0])
				in = in[1:]
				continue
			}
			if len(in) < 2 {
				return out, nil
			}
			reference := int(binary.BigEndian.Uint16(in))
			in = in[2:]
			from, n := reference>>4, reference&15+shortest
			if from == at {
				return out, nil
			}
			for i := range n {
				put(ring[(from+i)%window])
			}
		}
	}
	return out, nil
}
