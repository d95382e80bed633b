//go:build unix

package dataset

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	nethttp "net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/dataset/files"
	"github.com/kappagraph/kappa/work"
)

// web is a server of files, by their URLs.
type web map[string]string

// missing is what it says of a URL that it does not know.
var missing = &datasets.Error{Type: datasets.ErrNetwork, Message: "the server answers 404"}

func (w web) Get(ctx context.Context, url string, _ nethttp.Header) (*nethttp.Response, error) {
	content, ok := w[url]
	switch {
	case url == "hang":
		<-ctx.Done()
		return nil, context.Cause(ctx)
	case !ok:
		return nil, missing
	}
	return &nethttp.Response{StatusCode: 200, Header: nethttp.Header{}, ContentLength: int64(len(content)), Body: io.NopCloser(strings.NewReader(content))}, nil
}

// parquetFile is what looks like one from outside.
var parquetFile = func() string {
	b := append([]byte("PAR1"), make([]byte, 100)...)
	return string(append(binary.LittleEndian.AppendUint32(b, 50), "PAR1"...))
}()

// newService returns a service whose files are on the web w, and what it logs.
func newService(t *testing.T, w web, change func(c *ServiceConfig)) (*Service, *bytes.Buffer) {
	t.Helper()
	dir, err := os.MkdirTemp("", "kg-dataset-test-")
	if err == nil {
		err = os.Chmod(dir, 0o711) // workers may be another user
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	store, err := files.New(files.Config{Get: w, Dir: dir + "/files"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	var log bytes.Buffer
	cfg := ServiceConfig{Pool: start(t, func(c *Config) { c.Dir = dir + "/files" }), Files: store, Log: slog.New(slog.NewTextHandler(&log, nil))}
	if change != nil {
		change(&cfg)
	}
	return NewService(cfg), &log
}

func tables(urls ...string) (all []datasets.Dataset) {
	for i, url := range urls {
		all = append(all, datasets.Dataset{URL: url, TableName: fmt.Sprintf("t%d", i)})
	}
	return all
}

func TestServiceQuery(t *testing.T) {
	s, log := newService(t, web{"a": parquetFile, "b": parquetFile, "text": "no Parquet file"}, nil)
	ask := func(sql string, given ...datasets.Dataset) (*Result, error) {
		return s.Query(t.Context(), datasets.Query{SQL: sql, Limit: 5, Datasets: given})
	}
	t.Run("the files are there while it is asked", func(t *testing.T) {
		rows, err := ask("paths", tables("a", "b")...)
		if err != nil || rows.TotalRows != 2 || rows.DurationMS <= 0 {
			t.Errorf("got %+v, %v", rows, err)
		}
	})
	t.Run("a failure says to which of several tables it belongs", func(t *testing.T) {
		for text, datasets := range map[string][]datasets.Dataset{
			"network: the server answers 404":     tables("nothing"),
			"network: t1: the server answers 404": tables("a", "nothing"),
			"validation: t0: ":                    tables("text", "hang"), // and ends what is under way
		} {
			if _, err := ask("answer", datasets...); err == nil || !strings.HasPrefix(err.Error(), text) {
				t.Errorf("got %v, want %s", err, text)
			}
		}
	})
	t.Run("what breaks a rule names the value", func(t *testing.T) {
		_, err := ask("", tables("a")...)
		known, ok := errors.AsType[*datasets.Error](err)
		if !ok || known.Type != datasets.ErrValidation || len(known.Fields) != 1 || known.Fields[0].Name != "sql" {
			t.Errorf("got %+v, %v", known, err)
		}
	})
	t.Run("ours is logged, and said without its cause", func(t *testing.T) {
		log.Reset()
		_, err := ask("garbage")
		wantClass(t, "garbage", err, datasets.ErrInternal)
		if !strings.Contains(log.String(), "a dataset could not be queried") {
			t.Errorf("the log says %q", log)
		}
	})
	t.Run("an answer that holds nothing", func(t *testing.T) {
		_, err := ask("nothing")
		wantClass(t, "nothing", err, datasets.ErrInternal)
		_, err = s.Schema(t.Context(), "a") // the worker of this test answers with rows
		wantClass(t, "schema", err, datasets.ErrInternal)
	})
}

func TestServiceTime(t *testing.T) {
	s, _ := newService(t, web{"a": parquetFile}, func(c *ServiceConfig) { c.Within, c.JobTime = 100*time.Millisecond, 150*time.Millisecond })
	for what, q := range map[string]datasets.Query{
		"to fetch": {SQL: "answer", Limit: 1, Datasets: tables("hang")}, "to run": {SQL: "sleep", Limit: 1},
	} {
		_, err := s.Query(t.Context(), q)
		wantClass(t, what, err, datasets.ErrTimeout)
	}
	_, err := s.Export(t.Context(), datasets.Job{SQL: "sleep", Format: datasets.FormatCSV}, func(work.Progress) error { return nil })
	if wantClass(t, "a job", err, datasets.ErrTimeout); err == nil || !strings.Contains(err.Error(), "150ms") || strings.Contains(err.Error(), "run it as a job") {
		t.Errorf("got %v", err)
	}
	t.Run("a caller that goes", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("gone")
		cancel(why)
		if _, err := s.Query(ctx, datasets.Query{SQL: "sleep", Limit: 1}); !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
	})
}

func TestServiceValidate(t *testing.T) {
	s, _ := newService(t, web{"a": parquetFile, "text": "no Parquet file"}, nil)
	for url, class := range map[string]datasets.ErrorType{"a": "", "text": datasets.ErrValidation, "nothing": datasets.ErrNetwork} {
		got, err := s.Validate(t.Context(), url)
		if err != nil || got.Valid != (class == "") || class != "" && (got.Error == nil || got.Error.Type != class) {
			t.Errorf("%s: got %+v, %v", url, got, err)
		}
	}
}

func TestServiceUpload(t *testing.T) {
	s, _ := newService(t, nil, nil)
	address, release, err := s.Upload(t.Context(), strings.NewReader(parquetFile))
	if err != nil {
		t.Fatal(err)
	}
	q := datasets.Query{SQL: "paths", Limit: 1, Datasets: []datasets.Dataset{{URL: address, TableName: "t"}}}
	for range 2 {
		if rows, err := s.Query(t.Context(), q); err != nil || rows.TotalRows != 1 {
			t.Errorf("got %+v, %v", rows, err)
		}
	}
	release()
	if _, err := s.Query(t.Context(), q); err == nil {
		t.Error("the address stands for a file that is gone")
	}
	if _, _, err := s.Upload(t.Context(), strings.NewReader("no Parquet file")); err == nil {
		t.Error("any file is taken")
	} else {
		wantClass(t, "no Parquet file", err, datasets.ErrValidation)
	}
	broken := errors.New("the client went")
	if _, _, err := s.Upload(t.Context(), iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestServiceExport(t *testing.T) {
	s, _ := newService(t, web{"a": parquetFile}, nil)
	var told []string
	e, err := s.Export(t.Context(), datasets.Job{SQL: "write", Datasets: tables("a"), Format: datasets.FormatCSV}, func(p work.Progress) error {
		told = append(told, fmt.Sprintf("%s %d", p.Stage, p.Percent))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(e.Content)
	if err != nil || string(content) != "the answer" || e.Size != 10 || !slices.Equal(told, []string{"fetching 0", "fetching 25", "querying 25"}) {
		t.Errorf("got %q of %d bytes, %v, told %q", content, e.Size, err, told)
	}
	before := s.cfg.Files.Used()
	e.Close()
	if s.cfg.Files.Used() >= before {
		t.Error("the file is still there")
	}
	cancelled := errors.New("cancelled")
	if _, err := s.Export(t.Context(), datasets.Job{SQL: "write", Format: datasets.FormatCSV}, func(work.Progress) error { return cancelled }); !errors.Is(err, cancelled) {
		t.Errorf("got %v", err)
	}
	_, err = s.Export(t.Context(), datasets.Job{SQL: "write", Format: "xml"}, nil)
	wantClass(t, "a format that is none", err, datasets.ErrValidation)
}

func TestServiceClasses(t *testing.T) {
	s, log := newService(t, nil, nil)
	for _, c := range []struct {
		err   error
		class datasets.ErrorType
	}{
		{fmt.Errorf("write a file: %w", syscall.ENOSPC), datasets.ErrMemory},
		{fmt.Errorf("write a file: %w", syscall.EDQUOT), datasets.ErrMemory},
		{fmt.Errorf("read: %w", context.DeadlineExceeded), datasets.ErrTimeout},
		{errors.New("secret cause"), datasets.ErrInternal},
	} {
		err := s.classify(t.Context(), c.err)
		wantClass(t, c.err.Error(), err, c.class)
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("it shows its cause: %v", err)
		}
	}
	if !strings.Contains(log.String(), "secret cause") {
		t.Errorf("the log says %q", log)
	}
	if err := s.classify(t.Context(), kappa.NewError(kappa.CodeUnavailable, "no workers")); kappa.ErrorCode(err) != kappa.CodeUnavailable {
		t.Errorf("got %v", err)
	}
	t.Run("without workers", func(t *testing.T) {
		s := NewService(ServiceConfig{Pool: New(Config{})})
		_, err := s.Query(t.Context(), datasets.Query{SQL: "answer", Limit: 1})
		_, err2 := s.Schema(t.Context(), "a")
		_, _, err3 := s.Upload(t.Context(), strings.NewReader(parquetFile))
		_, err4 := s.Export(t.Context(), datasets.Job{SQL: "answer", Format: datasets.FormatCSV}, nil)
		for _, err := range []error{err, err2, err3, err4} {
			if kappa.ErrorCode(err) != kappa.CodeUnavailable {
				t.Errorf("got %v", err)
			}
		}
	})
}
