package index

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"
)

// FuzzParse reads heads and sections that have the right checksum, whatever they hold.
func FuzzParse(f *testing.F) {
	var whole bytes.Buffer
	var b builder
	entries := []Entry{entry(1, "a river by a house"), entry(2, "mountains")}
	if err := b.build(&whole, &head{Number: 1, Origin: "here", Parents: []uint64{3, 4}}, entries, 4); err != nil {
		f.Fatal(err)
	}
	body := whole.Bytes()[:whole.Len()-tailSize]
	size := binary.LittleEndian.Uint32(whole.Bytes()[whole.Len()-tailSize:])
	f.Add(body, size)
	f.Add(body[:len(body)/2], size)
	f.Add([]byte{}, uint32(0))
	f.Fuzz(func(t *testing.T, body []byte, size uint32) {
		p := binary.LittleEndian.AppendUint32(bytes.Clone(body), size)
		p = binary.LittleEndian.AppendUint32(p, crc32.Checksum(p, castagnoli))
		p = append(p, magic...)
		s, err := openSegment(p)
		if (s == nil) == (err == nil) {
			t.Fatalf("%v, %v", s, err)
		}
	})
}
