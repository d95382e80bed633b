package files

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/datasets"
)

// web fetches without any of the rules for URLs, and counts what comes.
type web struct{ bytes atomic.Int64 }

func (w *web) Get(ctx context.Context, url string, header nethttp.Header) (*nethttp.Response, error) {
	req, err := nethttp.NewRequestWithContext(ctx, nethttp.MethodGet, url, nethttp.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header = header
	req.Close = true
	answer, err := nethttp.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, &kappa.Error{Code: kappa.CodeUpstream, Message: "could not be reached", Err: err}
	}
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(answer.Body, count{&w.bytes}), answer.Body}
	return answer, nil
}

type count struct{ n *atomic.Int64 }

func (c count) Write(b []byte) (int, error) { c.n.Add(int64(len(b))); return len(b), nil }

// parquet is a file of n bytes with a footer of the given length; only its ends are right.
func parquet(n, footer int) []byte {
	b := make([]byte, n)
	copy(b, magic)
	binary.LittleEndian.PutUint32(b[n-trailer:], uint32(footer))
	copy(b[n-len(magic):], magic)
	return b
}

// source is a file on a server.
type source struct {
	mu      sync.Mutex
	content io.ReadSeeker
	etag    string

	requests, unchanged int
}

func (s *source) set(content []byte, etag string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.content, s.etag = bytes.NewReader(content), etag
}

func (s *source) ServeHTTP(w nethttp.ResponseWriter, r *nethttp.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	w.Header().Set("ETag", s.etag)
	if r.Header.Get("If-None-Match") == s.etag {
		s.unchanged++
	}
	nethttp.ServeContent(w, r, "", time.Time{}, s.content)
}

func newFiles(t *testing.T, change func(c *Config)) (*Files, *web) {
	t.Helper()
	w := &web{}
	cfg := Config{Get: w, Dir: filepath.Join(t.TempDir(), "datasets")}
	if change != nil {
		change(&cfg)
	}
	f, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f, w
}

func serve(t *testing.T, h nethttp.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func wantType(t *testing.T, err error, class datasets.ErrorType, text string) {
	t.Helper()
	var e *datasets.Error
	if !errors.As(err, &e) || e.Type != class || !strings.Contains(e.Message, text) {
		t.Errorf("got %v, want %s with %q", err, class, text)
	}
}

// onDisk lists what is in the directory.
func onDisk(t *testing.T, f *Files) (names int, bytes int64) {
	t.Helper()
	list, err := os.ReadDir(f.Dir())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		bytes += info.Size()
	}
	return len(list), bytes
}

func TestOpen(t *testing.T) {
	t.Run("a file is fetched once, and asked for by its tag when it may be stale", func(t *testing.T) {
		s := &source{}
		s.set(parquet(1000, 10), `"1"`)
		u := serve(t, s)
		f, _ := newFiles(t, func(c *Config) { c.Fresh = time.Hour })
		for range 3 {
			file, err := f.Open(t.Context(), u)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(file.Path)
			if err != nil || !bytes.Equal(got, parquet(1000, 10)) || file.Size != 1000 {
				t.Errorf("got %d bytes, %v", len(got), err)
			}
			file.Close()
		}
		f.cfg.Fresh = time.Nanosecond
		openAndClose(t, f, u)
		if s.requests != 2 || s.unchanged != 1 {
			t.Errorf("%d requests, %d unchanged", s.requests, s.unchanged)
		}
		old, err := f.Open(t.Context(), u)
		if err != nil {
			t.Fatal(err)
		}
		s.set(parquet(2000, 10), `"2"`)
		file, err := f.Open(t.Context(), u)
		if err != nil || file.Size != 2000 {
			t.Fatalf("got %+v, %v", file, err)
		}
		if got, err := os.ReadFile(old.Path); err != nil || len(got) != 1000 {
			t.Errorf("a file in use is gone: %v", err)
		}
		old.Close()
		file.Close()
		if n, size := onDisk(t, f); n != 1 || size != 2000 || f.Used() != 2000 {
			t.Errorf("%d files of %d bytes are left, %d counted", n, size, f.Used())
		}
	})
	t.Run("a stale file whose server is away is kept for a later try", func(t *testing.T) {
		s := &source{}
		s.set(parquet(1000, 10), `"1"`)
		server := httptest.NewServer(s)
		defer server.Close()
		f, _ := newFiles(t, func(c *Config) { c.Fresh = time.Nanosecond })
		openAndClose(t, f, server.URL)
		server.Close()
		_, err := f.Open(t.Context(), server.URL)
		wantType(t, err, datasets.ErrNetwork, "could not be reached")
		if n, _ := onDisk(t, f); n != 1 {
			t.Errorf("%d files are left", n)
		}
	})
	t.Run("many at once fetch once", func(t *testing.T) {
		s := &source{}
		s.set(parquet(1000, 10), `"1"`)
		u := serve(t, s)
		f, _ := newFiles(t, nil)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { openAndClose(t, f, u) })
		}
		all.Wait()
		if s.requests != 1 {
			t.Errorf("%d requests", s.requests)
		}
	})
	t.Run("who waits goes on when the one that fetches leaves", func(t *testing.T) {
		first, release := make(chan struct{}), make(chan struct{})
		var n atomic.Int64
		u := serve(t, nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
			if n.Add(1) == 1 {
				close(first)
				select {
				case <-release:
				case <-r.Context().Done():
				}
				return
			}
			_, _ = w.Write(parquet(1000, 10))
		}))
		defer close(release)
		f, _ := newFiles(t, nil)
		ctx, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := f.Open(ctx, u); err == nil {
				t.Error("who left has a file")
			}
		})
		<-first
		all.Go(func() { openAndClose(t, f, u) })
		leave()
		all.Wait()
	})
}

func openAndClose(t *testing.T, f *Files, u string) {
	t.Helper()
	file, err := f.Open(t.Context(), u)
	if err != nil {
		t.Error(err)
		return
	}
	file.Close()
}

func TestWhatIsRefused(t *testing.T) {
	cut := parquet(1000, 10)[:900]
	for name, c := range map[string]struct {
		serve nethttp.HandlerFunc
		class datasets.ErrorType
		text  string
	}{
		"a page": {func(w nethttp.ResponseWriter, _ *nethttp.Request) {
			_, _ = io.WriteString(w, "<html>"+strings.Repeat("x", 100))
		}, datasets.ErrValidation, "PAR1"},
		"a file cut off":   {func(w nethttp.ResponseWriter, _ *nethttp.Request) { _, _ = w.Write(cut) }, datasets.ErrValidation, "PAR1"},
		"an empty file":    {func(nethttp.ResponseWriter, *nethttp.Request) {}, datasets.ErrValidation, "0 bytes"},
		"a missing file":   {nethttp.NotFound, datasets.ErrNetwork, "Not Found"},
		"announced bytes":  {func(w nethttp.ResponseWriter, _ *nethttp.Request) { w.Header().Set("Content-Length", "999999999999") }, datasets.ErrMemory, "larger"},
		"endless bytes":    {endless, datasets.ErrMemory, "larger"},
		"a strange range":  {func(w nethttp.ResponseWriter, _ *nethttp.Request) { w.WriteHeader(nethttp.StatusPartialContent) }, datasets.ErrNetwork, "Partial Content"},
		"an internal slip": {func(w nethttp.ResponseWriter, _ *nethttp.Request) { w.WriteHeader(nethttp.StatusInternalServerError) }, datasets.ErrNetwork, "Internal Server Error"},
	} {
		t.Run(name, func(t *testing.T) {
			u := serve(t, c.serve)
			f, w := newFiles(t, func(c *Config) { c.MaxFile = 4 << 20 })
			_, err := f.Open(t.Context(), u)
			wantType(t, err, c.class, c.text)
			if n, _ := onDisk(t, f); n != 0 || f.Used() != 0 {
				t.Errorf("%d files are left, %d bytes counted", n, f.Used())
			}
			if w.bytes.Load() > 6<<20 {
				t.Errorf("%d bytes were fetched", w.bytes.Load())
			}
		})
	}
}

func endless(w nethttp.ResponseWriter, r *nethttp.Request) {
	for r.Context().Err() == nil {
		if _, err := w.Write(make([]byte, 64<<10)); err != nil {
			return
		}
	}
}

func TestQuota(t *testing.T) {
	mux := nethttp.NewServeMux()
	mux.HandleFunc("/", func(w nethttp.ResponseWriter, _ *nethttp.Request) { _, _ = w.Write(parquet(1<<20, 10)) })
	u := serve(t, mux)
	f, _ := newFiles(t, func(c *Config) { c.Quota = 3<<20 + 1000 })
	for i := range 6 {
		openAndClose(t, f, fmt.Sprint(u, "/", i))
	}
	if n, size := onDisk(t, f); n == 0 || size > 3<<20+1000 || f.Used() != size {
		t.Errorf("%d files of %d bytes, %d counted", n, size, f.Used())
	}
	var open []*File
	for i := range 3 {
		file, err := f.Open(t.Context(), fmt.Sprint(u, "/", i))
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, file)
	}
	_, err := f.Open(t.Context(), u+"/more")
	wantType(t, err, datasets.ErrMemory, "no room")
	for _, file := range open {
		file.Close()
	}
	openAndClose(t, f, u+"/more")
}

func TestAdd(t *testing.T) {
	f, _ := newFiles(t, nil)
	file, err := f.Add(t.Context(), bytes.NewReader(parquet(500, 10)))
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := onDisk(t, f); n != 1 {
		t.Errorf("%d files", n)
	}
	file.Close()
	if n, _ := onDisk(t, f); n != 0 || f.Used() != 0 {
		t.Errorf("%d files are left, %d bytes counted", n, f.Used())
	}
	_, err = f.Add(t.Context(), strings.NewReader("no Parquet file at all"))
	wantType(t, err, datasets.ErrValidation, "PAR1")
}

// TestUsed asks while files are written: what is counted is what is there, not what was
// reserved for it.
func TestUsed(t *testing.T) {
	f, _ := newFiles(t, nil)
	same := func(when string) {
		t.Helper()
		if _, size := onDisk(t, f); f.Used() != size {
			t.Errorf("%s: %d bytes counted, %d are there", when, f.Used(), size)
		}
	}
	o, err := f.Output()
	if err != nil {
		t.Fatal(err)
	}
	same("a result that has not begun")
	if err := os.WriteFile(o.Path, make([]byte, 3000), 0); err != nil {
		t.Fatal(err)
	}
	same("a result that grows")
	content := parquet(500_000, 10)
	asked := false
	file, err := f.Add(t.Context(), io.MultiReader(bytes.NewReader(content[:400_000]), readerFunc(func([]byte) (int, error) {
		same("half of an upload")
		asked = true
		return 0, io.EOF
	}), bytes.NewReader(content[400_000:])))
	if err != nil || !asked {
		t.Fatal(asked, err)
	}
	same("an upload")
	o.Close()
	file.Close()
	same("nothing")
	if f.used != 0 || f.free != 0 {
		t.Errorf("%d bytes are taken from the quota, %d reserved", f.used, f.free)
	}
}

type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }
