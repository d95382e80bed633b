package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

// archives is a file of one archive, whose rows are its words.
type archives struct {
	memory
	body     string
	dropped  int
	restored []string
	mode     string
	err      error // of the restore
}

type words struct {
	left []string
	err  error // at the end; nil is io.EOF
}

func (w *words) Header() storage.BackupHeader { return storage.BackupHeader{Format: 1} }
func (w *words) Close()                       {}
func (w *words) Next() (storage.BackupRow, error) {
	if len(w.left) == 0 {
		if w.err != nil {
			return storage.BackupRow{}, w.err
		}
		return storage.BackupRow{}, io.EOF
	}
	row := storage.BackupRow{Table: w.left[0]}
	w.left = w.left[1:]
	return row, nil
}

func (a *archives) open(r io.Reader) (Archive, error) {
	all, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	w := &words{left: strings.Fields(string(all))}
	if strings.Contains(a.body, "cut") {
		w.err = kappa.Invalid(kappa.FieldError{In: "form", Name: "file", Rule: "was cut"})
	}
	return w, nil
}

func (a *archives) Restore(ctx context.Context, c work.Claim, r storage.Restoring) (stats storage.RestoreStats, err error) {
	a.mode = r.Mode
	var staged []string
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			a.restored = staged
			stats.Concepts = int64(len(a.restored))
			if a.err != nil {
				return stats, a.err
			}
			return stats, a.Checkpoint(ctx, c, r.Done(stats))
		}
		if err != nil {
			return stats, err
		}
		staged = append(staged, row.Table)
		if err := r.Progress("checking", int64(len(staged)), 0); err != nil {
			return stats, err
		}
	}
}

func (a *archives) OpenFile(_ context.Context, file int64) (artifacts.File, error) {
	if file != 7 || a.dropped > 0 {
		return artifacts.File{}, kappa.NewError(kappa.CodeNotFound, "the file is gone")
	}
	return artifacts.File{ID: 7, Bytes: int64(len(a.body))}, nil
}

func (a *archives) ReadArtifactPiece(_ context.Context, _ int64, n int) ([]byte, error) {
	const size = 5
	return []byte(a.body[n*size : min(len(a.body), (n+1)*size)]), nil
}

func (a *archives) DropFile(context.Context, int64) (bool, error) {
	a.dropped++
	return true, nil
}

func (a *archives) work(t *testing.T, checkpoint string) (string, error) {
	t.Helper()
	c := work.Claim{JobID: "job_1", Data: json.RawMessage(`{"file":7,"mode":"replace"}`), Checkpoint: json.RawMessage(checkpoint)}
	result, err := NewRestore(a.open, a, a, a, once).Handler(t.Context(), c)
	return string(result), err
}

func TestRestore(t *testing.T) {
	const done = `{"status":"completed","restore_stats":{"concepts":3,"sources":0,"instances":0,"relationships":0},"mode":"replace","checkpoint_created":false,"checkpoint_deleted":false,"temp_file_cleaned":true}`
	t.Run("checks, restores, and removes the archive", func(t *testing.T) {
		a := &archives{body: "one two-and-more three"}
		got, err := a.work(t, "")
		if err != nil || got != done || strings.Join(a.restored, " ") != a.body || a.mode != "replace" || a.dropped != 1 {
			t.Errorf("%s, err %v, restored %v", got, err, a.restored)
		}
		if last := string(a.stored[len(a.stored)-1].State); last != `{"concepts":3,"sources":0,"instances":0,"relationships":0}` {
			t.Errorf("its last checkpoint is %s", last)
		}
	})
	t.Run("an attempt after the commit does not restore again", func(t *testing.T) {
		a := &archives{body: "one"}
		if got, err := a.work(t, `{"concepts":3}`); err != nil || got != done || len(a.restored) > 0 || a.dropped != 1 {
			t.Errorf("%s, err %v, restored %v", got, err, a.restored)
		}
	})
	t.Run("a broken archive is not begun, and not tried again", func(t *testing.T) {
		a := &archives{body: "one cut"}
		if _, err := a.work(t, ""); kappa.Retryable(err) || len(a.restored) > 0 {
			t.Errorf("err %v, restored %v", err, a.restored)
		}
	})
	t.Run("one that is gone is said", func(t *testing.T) {
		a := &archives{dropped: 1}
		if _, err := a.work(t, ""); kappa.Retryable(err) || !strings.Contains(err.Error(), "gone") {
			t.Errorf("err %v", err)
		}
	})
	t.Run("a database that fails is tried again", func(t *testing.T) {
		a := &archives{body: "one", err: kappa.NewError(kappa.CodeUnavailable, "away")}
		if _, err := a.work(t, ""); !kappa.Retryable(err) || a.dropped > 0 {
			t.Errorf("err %v", err)
		}
	})
	for _, data := range []string{`{}`, `{"file":0,"mode":"merge"}`, `{"file":1,"mode":"up"}`, `[]`} {
		if err := NewRestore(nil, nil, nil, nil, once).Check(json.RawMessage(data)); kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("%s: %v", data, err)
		}
	}
}
