package files

import (
	"fmt"
	"io"
	nethttp "net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/corpus/datasets"
)

// huge is a Parquet file of size bytes that takes no memory: zeros between its ends.
type huge struct {
	size, footer int64
	at           int64
}

func (h *huge) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += h.at
	case io.SeekEnd:
		offset += h.size
	}
	h.at = offset
	return offset, nil
}

func (h *huge) Read(b []byte) (int, error) {
	if h.at >= h.size {
		return 0, io.EOF
	}
	n := int(min(int64(len(b)), h.size-h.at))
	ends := parquet(64, int(h.footer))
	for i := range n {
		switch at := h.at + int64(i); {
		case at < 32:
			b[i] = ends[at]
		case at >= h.size-32:
			b[i] = ends[64-(h.size-at)]
		default:
			b[i] = 0
		}
	}
	h.at += int64(n)
	return n, nil
}

func TestFooter(t *testing.T) {
	t.Run("of a large file little is fetched", func(t *testing.T) {
		for _, footer := range []int64{100, 30 << 10, 200 << 10} {
			u := serve(t, &source{content: &huge{size: 10 << 30, footer: footer}, etag: `"1"`})
			f, w := newFiles(t, func(c *Config) { c.Fresh = time.Nanosecond })
			for range 2 { // the second time by its tag
				file, err := f.Footer(t.Context(), u)
				if err != nil {
					t.Fatal(err)
				}
				info, err := os.Stat(file.Path)
				if err != nil || info.Size() != 10<<30 || file.Size != 10<<30 {
					t.Errorf("got %d bytes, %v", info.Size(), err)
				}
				file.Close()
			}
			if got, most := w.bytes.Load(), max(footer, firstTail)+100; got > most {
				t.Errorf("%d bytes were fetched for a footer of %d, want %d at most", got, footer, most)
			}
			if f.Used() > 1<<20 {
				t.Errorf("%d bytes are counted", f.Used())
			}
		}
	})
	t.Run("a small file comes whole", func(t *testing.T) {
		s := &source{}
		s.set(parquet(100, 50), `"1"`)
		f, _ := newFiles(t, nil)
		file, err := f.Footer(t.Context(), serve(t, s))
		if err != nil || file.Size != 100 || s.requests != 1 {
			t.Fatalf("got %+v, %v after %d requests", file, err, s.requests)
		}
		file.Close()
	})
	t.Run("a server without ranges sends the whole file", func(t *testing.T) {
		f, _ := newFiles(t, nil)
		file, err := f.Footer(t.Context(), serve(t, nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) { _, _ = w.Write(parquet(100_000, 50)) })))
		if err != nil || file.Size != 100_000 {
			t.Fatalf("got %+v, %v", file, err)
		}
		file.Close()
	})
}

// ranges answers with a content range of its own choice.
func ranges(contentRange string, body []byte) nethttp.HandlerFunc {
	return func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		w.Header().Set("Content-Range", contentRange)
		w.WriteHeader(nethttp.StatusPartialContent)
		_, _ = w.Write(body)
	}
}

func TestLyingRanges(t *testing.T) {
	end := parquet(100, 50)
	for name, c := range map[string]struct {
		serve nethttp.HandlerFunc
		class datasets.ErrorType
		text  string
	}{
		"no range":            {ranges("", end), datasets.ErrNetwork, "which range"},
		"a range backwards":   {ranges("bytes 100-0/1000", end), datasets.ErrNetwork, "which range"},
		"beyond the end":      {ranges("bytes 0-1000/1000", end), datasets.ErrNetwork, "which range"},
		"more than announced": {ranges("bytes 0-9/1000", end), datasets.ErrValidation, "PAR1"},
		"less than announced": {ranges("bytes 0-999/1000", end), datasets.ErrNetwork, "which range"},
		"numbers too large":   {ranges("bytes 0-99/99999999999999999999", end), datasets.ErrNetwork, "which range"},
		"too much":            {ranges("bytes 0-99999999/100000000", end), datasets.ErrNetwork, "which range"},
		"a footer too long":   {ranges("bytes 900-999/1000", parquet(100, 5000)), datasets.ErrValidation, "footer"},
		"a footer of 4 GB":    {ranges("bytes 99999999900-99999999999/100000000000", parquet(100, 4<<30-1)), datasets.ErrValidation, "footer"},
		"another file":        {changing(), datasets.ErrNetwork, "changed"},
		"no second range":     {once(), datasets.ErrNetwork, "answered OK"},
	} {
		t.Run(name, func(t *testing.T) {
			f, _ := newFiles(t, nil)
			_, err := f.Footer(t.Context(), serve(t, c.serve))
			wantType(t, err, c.class, c.text)
			if n, _ := onDisk(t, f); n != 0 || f.Used() != 0 {
				t.Errorf("%d files are left, %d bytes counted", n, f.Used())
			}
		})
	}
}

// changing is another file with each request.
func changing() nethttp.HandlerFunc {
	n := 0
	return func(w nethttp.ResponseWriter, r *nethttp.Request) {
		n++
		w.Header().Set("ETag", fmt.Sprintf("%q", fmt.Sprint(n)))
		nethttp.ServeContent(w, r, "", time.Time{}, &huge{size: 1 << 20, footer: 100})
	}
}

// once sends a range once, and then whole files.
func once() nethttp.HandlerFunc {
	return func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if !strings.HasPrefix(r.Header.Get("Range"), "bytes=-") {
			r.Header.Del("Range")
		}
		nethttp.ServeContent(w, r, "", time.Time{}, &huge{size: 1 << 20, footer: 100})
	}
}
