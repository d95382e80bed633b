package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	nethttp "net/http"
	"os"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/datasets"
)

// getter fetches. It returns a CodeInvalid Error for a URL that must not be fetched, and a
// CodeUpstream Error when the server fails.
type getter interface {
	Get(ctx context.Context, url string, header nethttp.Header) (*nethttp.Response, error)
}

// Config is what Files need.
type Config struct {
	Get     getter
	Dir     string        // of our own: what is in it is removed
	MaxFile int64         // bytes of a file; default 2 GiB
	Quota   int64         // bytes on the disk, of all files; default 8 GiB
	Fresh   time.Duration // how long a file is used without asking its server; default 1 min
	Log     *slog.Logger  // nil logs nothing
}

// Files is the cache. Its methods may be called from many goroutines.
type Files struct {
	cfg  Config
	root *os.Root

	mu      sync.Mutex
	entries map[key]*entry
	used    int64 // bytes taken from the quota: on the disk, and reserved for what is being written
	free    int64 // of them, those that are reserved and not written yet
	results map[*Output]bool
	clock   int64 // rises with each use
}

// key is what a file is known by. A footer is a file of its own, and what the server has made is
// behind no URL.
type key struct {
	url    string
	footer bool
	made   bool // url is a name
}

// New empties the directory, which it makes when it is missing, and returns the Files.
func New(cfg Config) (*Files, error) {
	cfg.MaxFile = cmp.Or(cfg.MaxFile, 2<<30)
	cfg.Quota = cmp.Or(cfg.Quota, 8<<30)
	cfg.Fresh = cmp.Or(cfg.Fresh, time.Minute)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if err := os.RemoveAll(cfg.Dir); err != nil {
		return nil, fmt.Errorf("empty the directory of datasets: %w", err)
	}
	// Workers of another user open files by their paths, and list nothing.
	if err := os.MkdirAll(cfg.Dir, 0o711); err != nil {
		return nil, fmt.Errorf("make the directory of datasets: %w", err)
	}
	root, err := os.OpenRoot(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("open the directory of datasets: %w", err)
	}
	return &Files{cfg: cfg, root: root, entries: map[key]*entry{}, results: map[*Output]bool{}}, nil
}

// Close removes every file and the directory. No File may be in use.
func (f *Files) Close() error {
	return errors.Join(f.root.Close(), os.RemoveAll(f.cfg.Dir))
}

// Dir returns the directory that the files are in.
func (f *Files) Dir() string { return f.cfg.Dir }

// Used returns the bytes on the disk. What is reserved of the quota and not written yet is
// not there.
func (f *Files) Used() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	used := f.used - f.free
	for o := range f.results { // a worker writes them, which says how far it is to nobody
		if stat, err := o.file.Stat(); err == nil {
			used += stat.Size()
		}
	}
	return used
}

// Open returns the file behind a URL, which the caller closes. Failures are
// datasets.Errors.
func (f *Files) Open(ctx context.Context, url string) (*File, error) {
	return f.open(ctx, key{url: url}, f.fetchWhole)
}

// Footer returns a file in which at least what a Parquet file says of itself is, at its
// place in a file of the right size. The caller closes it. Failures are
// datasets.Errors.
func (f *Files) Footer(ctx context.Context, url string) (*File, error) {
	return f.open(ctx, key{url: url, footer: true}, f.fetchFooter)
}

// Add stores what a user uploads, for as long as the caller keeps it open.
func (f *Files) Add(_ context.Context, content io.Reader) (*File, error) {
	b, err := f.create()
	if err != nil {
		return nil, err
	}
	if err := b.copy(content); err != nil {
		b.abandon()
		return nil, err
	}
	e, err := b.finish()
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	e.gone = true // with its last user
	return f.useLocked(e), nil
}

// fetch brings a file, given the one that is there already, or nil. It returns the same
// one when that is still what the server has.
type fetch func(ctx context.Context, url string, old *entry) (*entry, error)

// open returns an entry that is fresh, and fetches it when it is not. Who comes while
// another one fetches waits for it.
func (f *Files) open(ctx context.Context, k key, fetch fetch) (*File, error) {
	for {
		f.mu.Lock()
		e := f.entries[k]
		switch {
		case e != nil && e.fetching != nil:
			done := e.fetching
			f.mu.Unlock()
			select {
			case <-done:
				continue
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		case e != nil && time.Since(e.checked) < f.cfg.Fresh:
			file := f.useLocked(e)
			f.mu.Unlock()
			return file, nil
		}
		done := make(chan struct{})
		f.entries[k] = f.placeholderLocked(e, done)
		f.mu.Unlock()
		file, err := f.fill(ctx, k, e, fetch)
		close(done)
		return file, err
	}
}

// placeholderLocked is what stands for an entry while it is fetched.
func (f *Files) placeholderLocked(old *entry, done chan struct{}) *entry {
	p := &entry{fetching: done}
	if old != nil {
		old.users++ // it must stay until it is known whether it is still right
	}
	return p
}

// fill fetches an entry and puts it in its place. Without success the old one is kept,
// stale, for a later try.
func (f *Files) fill(ctx context.Context, k key, old *entry, fetch fetch) (*File, error) {
	e, err := fetch(ctx, k.url, old)
	f.mu.Lock()
	defer f.mu.Unlock()
	var file *File
	switch {
	case err != nil && old == nil:
		delete(f.entries, k)
	case err != nil:
		f.entries[k] = old
	default:
		e.checked = time.Now()
		f.entries[k] = e
		file = f.useLocked(e)
		if old != nil && old != e {
			old.gone = true
		}
	}
	if old != nil {
		f.leaveLocked(old)
	}
	f.evictLocked()
	return file, classify(err)
}

// classify makes a failure one of datasets.
func classify(err error) error {
	var known *datasets.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case kappa.ErrorCode(err) == kappa.CodeInvalid:
		return &datasets.Error{Type: datasets.ErrValidation, Message: kappa.ErrorMessage(err)}
	case kappa.ErrorCode(err) == kappa.CodeUpstream:
		return &datasets.Error{Type: datasets.ErrNetwork, Message: kappa.ErrorMessage(err)}
	case errors.Is(err, context.DeadlineExceeded):
		return &datasets.Error{Type: datasets.ErrTimeout, Message: "the file could not be fetched within the time of the query"}
	}
	return err
}
