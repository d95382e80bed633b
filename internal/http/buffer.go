package http

import (
	"errors"
	"io"
	"runtime/debug"
)

// largeBuffer is from which size on the memory of the buffers that one has replaced is given
// back before the next, larger one is made.
const largeBuffer = 8 << 20

// reservedBuffer is filled from a reader, in memory that is reserved as it fills.
type reservedBuffer struct {
	size    int64 // expected in all; 0 when it is not known
	copies  int64 // reserved for each byte
	reserve func(bytes int64) error
}

// read reads r to its end. The memory begins small, and doubles when it is full, up
// to the expected size: who sends little holds little. For the moment of a copy
// there is half as much besides, which is not reserved. It returns the errors of r
// and of reserve.
func (b reservedBuffer) read(r io.Reader) ([]byte, error) {
	var data []byte
	for {
		if len(data) == cap(data) {
			var err error
			if data, err = b.grow(data); err != nil {
				return nil, err
			}
		}
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (b reservedBuffer) grow(data []byte) ([]byte, error) {
	full := int64(len(data))
	more := max(full, firstBuffer)
	if expected := b.size + 1; full < expected && b.size > 0 { // one more, to see the end
		more = min(more, expected-full)
	}
	if b.reserve != nil {
		if err := b.reserve(more * max(b.copies, 1)); err != nil {
			return nil, err
		}
	}
	if full >= largeBuffer {
		debug.FreeOSMemory() // the buffers before this one are as large together
	}
	grown := make([]byte, full, full+more)
	copy(grown, data)
	return grown, nil
}
