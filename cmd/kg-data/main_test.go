//go:build cgo && linux

package main

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/built"
	"github.com/kappagraph/kappa/internal/dataset"
	"github.com/kappagraph/kappa/internal/dataset/frame"
)

// program is kg-data as it is shipped: the detector of races, with which tests are built, needs
// more address space than a worker has.
var program = sync.OnceValues(func() (string, error) { return built.Data(context.Background()) })

// filesDir returns a directory that another user may search.
func filesDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "kg-data-files-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

// newPool runs real workers.
func newPool(t *testing.T, workers int) (p *dataset.Pool, dir string) {
	t.Helper()
	bin, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir = filesDir(t)
	p = dataset.New(dataset.Config{Bin: bin, Dir: dir, Workers: workers})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if s := p.Stats(); s.Alive != 0 {
			t.Errorf("%d workers are left", s.Alive)
		}
	})
	return p, dir
}

// do runs a task within a time.
func do(t *testing.T, p *dataset.Pool, limit time.Duration, r frame.Request) (frame.Answer, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	return p.Do(ctx, r)
}

// writeParquet stores the result of a query as a Parquet file.
func writeParquet(t *testing.T, p *dataset.Pool, dir, name, sql string) frame.Table {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := do(t, p, time.Minute, frame.Request{Op: frame.OpExport, SQL: sql, Format: "parquet", Output: path}); err != nil {
		t.Fatal(err)
	}
	return frame.Table{Name: name, Path: path}
}

// class returns the class of a failure, "" for none, and the error's text for one without.
func class(err error) datasets.ErrorType {
	if err == nil {
		return ""
	}
	if e, ok := err.(*datasets.Error); ok { //nolint:errorlint // the pool returns it bare
		return e.Type
	}
	return datasets.ErrorType(err.Error())
}
