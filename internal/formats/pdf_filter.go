package formats

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/ascii85"
	"errors"
	"io"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"golang.org/x/image/tiff/lzw" // the one of PDF, which the standard library does not read
)

// maxPDFFilters is how many filters of a stream are undone.
const maxPDFFilters = 8

// decode returns what reads a stream without its filters, up to the limits of what is
// unpacked, or nil for one of a picture. Where it is broken it ends: PDFium shows no more
// of it either.
func (f *pdfFile) decode(ctx context.Context, o pdfObject) (io.Reader, error) {
	filters := f.filters(o.dict())
	if len(filters) > maxPDFFilters {
		return nil, malformed("The PDF packs a part of it %d times; at most %d times are undone.", len(filters), maxPDFFilters)
	}
	var r io.Reader = bytes.NewReader(o.stream)
	for _, filter := range filters {
		if r = undo(filter, r); r == nil {
			return nil, nil //nolint:nilnil // it is no text
		}
		r = &unpacking{Reader: r, ctx: ctx, packed: len(o.stream), spent: &f.spent}
	}
	return r, nil
}

// filters returns the names of the filters of a stream.
func (f *pdfFile) filters(d pdfDict) []pdfName {
	var names []pdfName
	for _, o := range f.resolve(d["Filter"]) {
		values, isList := o.value.([]any)
		if !isList {
			values = []any{o.value}
		}
		for _, v := range values {
			for _, o := range f.resolve(v) {
				if name, ok := o.value.(pdfName); ok {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// undo returns what reads what a filter was applied to, or nil for one of pictures.
func undo(filter pdfName, r io.Reader) io.Reader {
	switch filter {
	case "FlateDecode", "Fl":
		return &lazily{open: func() (io.Reader, error) { return zlib.NewReader(r) }}
	case "LZWDecode", "LZW":
		return lzw.NewReader(r, lzw.MSB, 8)
	case "ASCII85Decode", "A85":
		return ascii85.NewDecoder(&untilEnd{Reader: r, mark: '~'})
	case "ASCIIHexDecode", "AHx":
		return &hexDigits{r: &untilEnd{Reader: r, mark: '>'}}
	case "RunLengthDecode", "RL":
		return &runs{r: r}
	case "Crypt":
		return r
	}
	return nil
}

// unpacking counts what is read of a stream, for which all filters have the same limits.
type unpacking struct {
	io.Reader
	ctx          context.Context //nolint:containedctx // of the reading of one stream
	packed, read int
	spent        *int // of all streams of a document
}

// Read counts what is read.
func (u *unpacking) Read(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	n, err := u.Reader.Read(p)
	u.read += n
	*u.spent += n
	if u.read > maxEntryBytes || u.read > ratioAfter && u.read/maxRatio > u.packed || *u.spent > maxPDFContent {
		return 0, malformed("The PDF unpacks to more than is read: a part of %s has over %s. Print it to a new PDF, or extract the text first.",
			corpus.HumanSize(u.packed), corpus.HumanSize(u.read))
	}
	return n, err
}

// lazily opens a reader with the first reading of it.
type lazily struct {
	open func() (io.Reader, error)
	r    io.Reader
}

// Read reads what has been opened.
func (l *lazily) Read(p []byte) (n int, err error) {
	if l.r == nil {
		if l.r, err = l.open(); err != nil {
			return 0, err
		}
	}
	return l.r.Read(p)
}

// untilEnd ends at a mark.
type untilEnd struct {
	io.Reader
	mark  byte
	ended bool
}

// Read ends before the mark.
func (u *untilEnd) Read(p []byte) (int, error) {
	if u.ended {
		return 0, io.EOF
	}
	n, err := u.Reader.Read(p)
	if end := bytes.IndexByte(p[:n], u.mark); end >= 0 {
		u.ended = true
		return end, io.EOF
	}
	return n, err
}

// hexDigits makes bytes of pairs of digits.
type hexDigits struct {
	r    io.Reader
	high int // the first digit of a pair and 1, or 0
}

// Read reads as many bytes as there are pairs.
func (h *hexDigits) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	out := p[:0]
	for _, b := range p[:n] {
		digit := strings.IndexByte("0123456789abcdef", b|0x20)
		switch {
		case digit < 0 || b < '0':
		case h.high == 0:
			h.high = digit + 1
		default:
			out = append(out, byte((h.high-1)<<4|digit))
			h.high = 0
		}
	}
	return len(out), err
}

// runs undoes the encoding of lengths: a byte up to 127 stands before as many and one
// more bytes, and one above 128 before the byte that is repeated.
type runs struct {
	r    io.Reader
	rest []byte
}

// Read reads from one run.
func (u *runs) Read(p []byte) (int, error) {
	for len(u.rest) == 0 {
		var length [1]byte
		if _, err := io.ReadFull(u.r, length[:]); err != nil {
			return 0, err
		}
		const end = 128
		n := int(length[0])
		switch {
		case n == end:
			return 0, io.EOF
		case n < end:
			u.rest = make([]byte, n+1)
			if _, err := io.ReadFull(u.r, u.rest); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
				return 0, err
			}
		default:
			if _, err := io.ReadFull(u.r, length[:]); err != nil {
				return 0, err
			}
			u.rest = bytes.Repeat(length[:], 2*end+1-n)
		}
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}
