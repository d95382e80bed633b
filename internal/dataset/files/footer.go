package files

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	nethttp "net/http"
	"regexp"
	"strconv"

	"github.com/kappagraph/kappa/corpus/datasets"
)

const (
	firstTail = 32 << 10 // bytes fetched from the end, in the hope that the footer is within
	maxFooter = 16 << 20
)

// fetchFooter fetches both ends of a file, unless old is still what the server has. When
// the server sends no ranges it fetches the whole file.
func (f *Files) fetchFooter(ctx context.Context, url string, old *entry) (*entry, error) {
	header := nethttp.Header{"Range": {fmt.Sprintf("bytes=-%d", firstTail)}}
	if old != nil {
		askBy(header, old.etag)
	}
	answer, err := f.cfg.Get.Get(ctx, url, header)
	if err != nil {
		return nil, err //nolint:wrapcheck // it says itself what failed
	}
	defer answer.Body.Close()
	switch {
	case old != nil && answer.StatusCode == nethttp.StatusNotModified:
		return old, nil
	case answer.StatusCode != nethttp.StatusPartialContent:
		return f.keep(answer)
	}
	tail, err := readPart(answer)
	if err != nil {
		return nil, err
	}
	b, err := f.create()
	if err != nil {
		return nil, err
	}
	b.entry.etag = tag(answer.Header)
	if err := (footer{b, url, tail.total}).fill(ctx, tail); err != nil {
		b.abandon()
		return nil, err
	}
	return b.finish()
}

// footer is a file of which only the ends are fetched.
type footer struct {
	*builder

	url   string
	total int64
}

// part is a range of a file.
type part struct {
	from, total int64
	bytes       []byte
}

// fill writes the end that has come, the rest of the footer, and the beginning.
func (f footer) fill(ctx context.Context, tail part) error {
	if len(tail.bytes) < trailer {
		return notParquet("it has %d bytes", tail.total)
	}
	length := int64(binary.LittleEndian.Uint32(tail.bytes[len(tail.bytes)-trailer:]))
	start := tail.total - trailer - length
	switch {
	case string(tail.bytes[len(tail.bytes)-len(magic):]) != magic:
		return notParquet("it does not end with PAR1")
	case start < int64(len(magic)) || length > maxFooter:
		return notParquet("its footer claims %d bytes", length)
	}
	if err := f.place(tail.bytes, tail.from); err != nil {
		return err
	}
	if start < tail.from {
		if err := f.fetch(ctx, start, tail.from); err != nil {
			return err
		}
	}
	if tail.from >= int64(len(magic)) {
		return f.fetch(ctx, 0, int64(len(magic)))
	}
	return nil
}

// fetch fetches the bytes from one offset up to another. The file must be the same still.
func (f footer) fetch(ctx context.Context, from, to int64) error {
	header := nethttp.Header{"Range": {fmt.Sprintf("bytes=%d-%d", from, to-1)}}
	answer, err := f.files.cfg.Get.Get(ctx, f.url, header)
	if err != nil {
		return err //nolint:wrapcheck // it says itself what failed
	}
	defer answer.Body.Close()
	if answer.StatusCode != nethttp.StatusPartialContent {
		return refusedBy(answer)
	}
	p, err := readPart(answer)
	if err != nil {
		return err
	}
	if p.total != f.total || tag(answer.Header) != f.entry.etag || p.from != from || int64(len(p.bytes)) != to-from {
		return &datasets.Error{Type: datasets.ErrNetwork, Message: "the file changed while it was read; try again"}
	}
	return f.place(p.bytes, p.from)
}

var contentRange = regexp.MustCompile(`^bytes (\d{1,18})-(\d{1,18})/(\d{1,18})$`)

// readPart reads an answer that is a range of a file.
func readPart(answer *nethttp.Response) (part, error) {
	wrong := &datasets.Error{Type: datasets.ErrNetwork, Message: "the server of the file does not say which range of it it sent"}
	m := contentRange.FindStringSubmatch(answer.Header.Get("Content-Range"))
	if m == nil {
		return part{}, wrong
	}
	var n [3]int64
	for i := range n {
		n[i], _ = strconv.ParseInt(m[i+1], 10, 64)
	}
	from, last, total := n[0], n[1], n[2]
	if from > last || last >= total || last-from >= maxFooter+firstTail {
		return part{}, wrong
	}
	bytes, err := io.ReadAll(io.LimitReader(answer.Body, last-from+1))
	if err != nil {
		return part{}, err //nolint:wrapcheck // it says itself what failed
	}
	if int64(len(bytes)) != last-from+1 {
		return part{}, wrong
	}
	return part{from: from, total: total, bytes: bytes}, nil
}
