package certificates

import (
	"context"
	"crypto/tls"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	readEvery = time.Minute
	settles   = 300 * time.Millisecond // a certificate and its key are written one after the other
)

// Files is a certificate in files. When these change it is read again, by the notifications
// of the system, and once a minute besides, since some file systems have none.
type Files struct {
	cert, key string
	log       *slog.Logger
	now       atomic.Pointer[Pair]
	failed    atomic.Pointer[string] // of the last reading; nil: none
	failures  atomic.Int64
	watching  atomic.Bool // changes wake it
}

// NewFiles reads the files for the first time. See [ReadPair] for what is an error.
func NewFiles(ctx context.Context, certificate, key string, log *slog.Logger) (*Files, error) {
	pair, err := ReadPair(certificate, key)
	if err != nil {
		return nil, err
	}
	f := &Files{cert: certificate, key: key, log: log}
	f.now.Store(&pair)
	f.report(ctx, "certificate read", pair)
	return f, nil
}

// TLS returns the settings of a server that shows the certificate.
func (f *Files) TLS() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return f.now.Load().certificate, nil },
	}
}

// List returns what is known of the certificate.
func (f *Files) List() []work.Certificate {
	c := shown(f.now.Load().leaf(), "file")
	if failed := f.failed.Load(); failed != nil {
		c.Failed = *failed
	}
	return []work.Certificate{c}
}

// Failures counts how often the files could not be read.
func (f *Files) Failures() int64 { return f.failures.Load() }

// Run reads the files when they change, until ctx ends.
func (f *Files) Run(ctx context.Context) error {
	wake := kappa.NewWaker()
	done := f.watch(ctx, wake)
	defer done()
	return kappa.Loop{Name: "reading the certificate", Every: readEvery, Retry: readEvery, Wake: wake.C(), Later: true, Log: f.log}.Run(ctx, f.read)
}

// read reads the files. When that fails the certificate stays as it is.
func (f *Files) read(ctx context.Context) error {
	pair, err := ReadPair(f.cert, f.key)
	if err != nil {
		text := err.Error()
		f.failed.Store(&text)
		f.failures.Add(1)
		return err
	}
	f.failed.Store(nil)
	if pair.same(*f.now.Load()) {
		return nil
	}
	f.now.Store(&pair)
	f.report(ctx, "certificate read again", pair)
	return nil
}

// report logs which certificate is shown from now on.
func (f *Files) report(ctx context.Context, message string, pair Pair) {
	leaf := pair.leaf()
	left := time.Until(leaf.NotAfter)
	level := slog.LevelInfo
	if left < SoonExpired {
		level = slog.LevelWarn
	}
	f.log.Log(ctx, level, message, "names", shown(leaf, "").Names, "valid_until", leaf.NotAfter, "expired", left < 0) //nolint:sloglint // one of two constants
}

// watch wakes when something changes in the folders of the files: a file may be replaced,
// and what is watched must be there then.
func (f *Files) watch(ctx context.Context, wake kappa.Waker) (done func()) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		f.log.WarnContext(ctx, "changes of the certificate are seen once a minute only", "err", err)
		return func() {}
	}
	for _, path := range []string{f.cert, f.key} {
		if err := watcher.Add(filepath.Dir(path)); err != nil {
			f.log.WarnContext(ctx, "changes of the certificate are seen once a minute only", "err", err)
		}
	}
	f.watching.Store(true)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		wakeWhenSettled(watcher, wake)
	}()
	return func() {
		_ = watcher.Close() // ends wakeWhenSettled
		<-gone
	}
}

// wakeWhenSettled wakes when something has changed and nothing has since for a moment, until
// the watcher is closed.
func wakeWhenSettled(watcher *fsnotify.Watcher, wake kappa.Waker) {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case _, open := <-watcher.Events:
			if !open {
				return
			}
			timer.Reset(settles)
		case _, open := <-watcher.Errors: // events were lost
			if !open {
				return
			}
			timer.Reset(settles)
		case <-timer.C:
			wake.Wake()
		}
	}
}
