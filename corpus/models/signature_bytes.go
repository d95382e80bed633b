package models

import "encoding/binary"

// signatureBytes is the length of a Signature as bytes.
const signatureBytes = SignatureBits / 8

// Bytes returns the signature as bytes, the first bits in the first one.
func (s *Signature) Bytes() []byte {
	p := make([]byte, 0, signatureBytes)
	for _, word := range s {
		p = binary.LittleEndian.AppendUint64(p, word)
	}
	return p
}

// SignatureOf returns the signature that Bytes has made these of; false when they are none.
func SignatureOf(p []byte) (s Signature, ok bool) {
	if len(p) != signatureBytes {
		return s, false
	}
	for i := range s {
		s[i] = binary.LittleEndian.Uint64(p[8*i:])
	}
	return s, true
}
