package files

import (
	"cmp"
	"context"
	"fmt"
	nethttp "net/http"
	"strconv"

	"github.com/kappagraph/kappa/corpus/datasets"
)

// fetchWhole fetches a file, unless old is still what the server has.
func (f *Files) fetchWhole(ctx context.Context, url string, old *entry) (*entry, error) {
	header := nethttp.Header{}
	if old != nil {
		askBy(header, old.etag)
	}
	answer, err := f.cfg.Get.Get(ctx, url, header)
	if err != nil {
		return nil, err //nolint:wrapcheck // it says itself what failed
	}
	defer answer.Body.Close()
	if old != nil && answer.StatusCode == nethttp.StatusNotModified {
		return old, nil
	}
	return f.keep(answer)
}

// keep stores an answer that is the whole file.
func (f *Files) keep(answer *nethttp.Response) (*entry, error) {
	if answer.StatusCode != nethttp.StatusOK {
		return nil, refusedBy(answer)
	}
	if answer.ContentLength > f.cfg.MaxFile {
		return nil, tooLarge(f.cfg.MaxFile)
	}
	b, err := f.create()
	if err != nil {
		return nil, err
	}
	b.entry.etag = tag(answer.Header)
	if err := b.copy(answer.Body); err != nil {
		b.abandon()
		return nil, err
	}
	return b.finish()
}

// refusedBy is the failure of an answer that is not the file.
func refusedBy(answer *nethttp.Response) error {
	return &datasets.Error{
		Type:    datasets.ErrNetwork,
		Message: fmt.Sprintf("the server of the file answered %s", cmp.Or(nethttp.StatusText(answer.StatusCode), strconv.Itoa(answer.StatusCode))),
	}
}

// tag is by what an answer can be asked for again: its ETag, else when it changed last.
func tag(h nethttp.Header) string { return cmp.Or(h.Get("ETag"), h.Get("Last-Modified")) }

// askBy asks for an answer only if it is another one than the one with the given tag.
func askBy(h nethttp.Header, tag string) {
	switch {
	case tag == "":
	case tag[0] == '"' || len(tag) > 2 && tag[:2] == "W/":
		h.Set("If-None-Match", tag)
	default:
		h.Set("If-Modified-Since", tag)
	}
}
