package notify

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jackc/pglogrepl"
)

var errWALShort = errors.New("the message is shorter than it says")

// walReader reads a message from front to back. A read beyond its end returns
// zero and sets short.
type walReader struct {
	rest  []byte
	short bool
}

func (r *walReader) take(n int) []byte {
	if n > len(r.rest) {
		r.rest, r.short = nil, true
		return nil
	}
	taken := r.rest[:n:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *walReader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *walReader) uint16() uint16 {
	if b := r.take(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (r *walReader) uint32() uint32 {
	if b := r.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// text reads up to a zero byte, which it takes too.
func (r *walReader) text() string {
	end := bytes.IndexByte(r.rest, 0)
	if end < 0 {
		r.rest, r.short = nil, true
		return ""
	}
	return string(r.take(end + 1)[:end])
}

// row reads the values of a row as text, nil for NULL. They are parts of the
// message.
func (r *walReader) row() ([][]byte, error) {
	values := make([][]byte, r.uint16())
	for i := range values {
		switch kind := r.byte(); {
		case r.short:
			return nil, errWALShort
		case kind == pglogrepl.TupleDataTypeNull:
		case kind == pglogrepl.TupleDataTypeText:
			values[i] = r.take(int(r.uint32()))
		default:
			return nil, fmt.Errorf("a value of type %q", kind)
		}
	}
	if r.short {
		return nil, errWALShort
	}
	return values, nil
}
