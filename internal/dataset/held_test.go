//go:build unix

package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/dataset/files"
)

// TestHeldAnswers keeps eight answers of 25 MB that nobody reads, and small ones beside
// them: what is in memory is bounded, the rest is on the disk, and each can be read whole.
func TestHeldAnswers(t *testing.T) {
	const large, rows, size = 4, 1000, 10_000
	s, _ := newService(t, web{}, func(c *ServiceConfig) { c.answers = 8 << 20 })
	before := heap()
	var open []*Result
	for range large {
		r, err := s.Query(t.Context(), datasets.Query{SQL: "rows 1000 10000", Limit: rows})
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, r)
	}
	for range 100 {
		r, err := s.Query(t.Context(), datasets.Query{SQL: "rows 10 20000", Limit: rows})
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, r)
	}
	held, grown, disk := s.held.inUse(), heap()-before, s.cfg.Files.Used()
	t.Logf("%d bytes are held, the heap has grown by %d, %d are on the disk", held, grown, disk)
	if held > 8<<20 || held < 4<<20 || grown > 16<<20 || disk < large*rows*size {
		t.Errorf("%d bytes are held, the heap has grown by %d, %d are on the disk", held, grown, disk)
	}
	for i, r := range open {
		want := rows
		if i >= large {
			want = 10
		}
		var text bytes.Buffer
		var got datasets.Rows
		if err := r.WriteJSON(&text); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text.Bytes(), &got); err != nil || len(got.Rows) != want || got.TotalRows != int64(want) || got.DurationMS <= 0 || got.Columns == nil {
			t.Fatalf("answer %d: %d rows of %d, %v", i, len(got.Rows), want, err)
		}
		r.Close()
		r.Close()
	}
	if held, disk := s.held.inUse(), s.cfg.Files.Used(); held != 0 || disk != 0 {
		t.Errorf("%d bytes are held, %d are on the disk", held, disk)
	}
	if err := open[0].WriteJSON(io.Discard); !errors.Is(err, errClosed) {
		t.Errorf("an answer that was closed: %v", err)
	}
}

// heap returns the bytes that are reachable.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestNoRoomForAnswers fills memory and disk with answers: the next one is refused with when
// to ask again, its worker has the next task, and it is answered when there is room again.
func TestNoRoomForAnswers(t *testing.T) {
	s, _ := newService(t, web{}, func(c *ServiceConfig) {
		small, err := files.New(files.Config{Get: web{}, Dir: c.Pool.cfg.Dir, Quota: 12 << 20})
		if err != nil {
			t.Fatal(err)
		}
		c.Files, c.answers = small, 1<<20
	})
	ask := func() (*Result, error) {
		return s.Query(t.Context(), datasets.Query{SQL: "rows 400 20000", Limit: 1000})
	}
	first, err := ask()
	if err != nil {
		t.Fatal(err)
	}
	_, err = ask()
	known, ok := errors.AsType[*datasets.Error](err)
	if !ok || kappa.ErrorCode(err) != kappa.CodeUnavailable || known.RetryAfter <= 0 || !strings.Contains(err.Error(), "ask again") {
		t.Errorf("got %v", err)
	}
	if stats := s.cfg.Pool.Stats(); stats.Crashed+stats.Killed+stats.Retired != 0 {
		t.Errorf("a worker was ended for it: %+v", stats)
	}
	first.Close()
	again, err := ask()
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// TestRowsThatAreNone has a worker write what is no row.
func TestRowsThatAreNone(t *testing.T) {
	p := start(t, func(c *Config) { c.Workers = 1 })
	for _, lines := range []string{"x\n", "{}", "{}\n{", "[]\n", "{}\n\n", "{} {}\n"} {
		_, err := ask(t, p, "lines "+lines)
		wantClass(t, lines, err, datasets.ErrInternal)
	}
	if _, err := ask(t, p, "lines {}\n{\"a\":1}\n"); err != nil {
		t.Error(err)
	}
}

// inUse returns the bytes in memory.
func (h *held) inUse() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.used
}
