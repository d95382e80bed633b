package main

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// finder is a system that is measured.
type finder interface {
	// add may keep passages for a batch until flush.
	add(id int, passage string) error
	flush() error
	// addOne adds a passage that is found when it returns.
	addOne(id int, passage string) error
	// find returns how many candidates a question has, of the best so many.
	find(ctx context.Context, question string, most int) (int, error)
	close() error
	open() error // again
	size() size
}

type size struct {
	mapped int64
	parts  int
}

const candidates = 50

// figures are what was measured.
type figures struct {
	p50, p95, p99      float64 // milliseconds of a question
	words              float64 // a second, built
	added50, added95   float64 // milliseconds of a passage
	open               time.Duration
	heap, files, found int64
	size               size
}

func (f figures) row(name string, n int) string {
	const mega = 1 << 20
	return fmt.Sprintf("%-15s %9d %8.3f %8.3f %8.3f %11.0f %11.3f %5.2f %7.2f %8d %9d %10d %9d",
		name, n, f.p50, f.p95, f.p99, f.words, f.added50, f.added95, f.open.Seconds(), f.heap/mega, f.files/mega, f.size.mapped/mega, f.size.parts)
}

func measure(ctx context.Context, o options, s system, n int, dir string, profile func() func()) (f figures, err error) {
	t, err := newText(o.text)
	if err != nil {
		return f, err
	}
	before := heap()
	system, err := s.open(dir)
	if err != nil {
		return f, err
	}
	defer func() {
		if closed := system.close(); err == nil {
			err = closed
		}
	}()
	asked, err := f.build(ctx, o, t, system, n)
	if err != nil {
		return f, err
	}
	if err := f.one(t, system, n, o.added); err != nil {
		return f, err
	}
	if err := system.close(); err != nil {
		return f, err
	}
	start := time.Now()
	if err := system.open(); err != nil {
		return f, err
	}
	f.open = time.Since(start)
	stop := profile()
	err = f.ask(ctx, system, asked, max(1, o.times))
	stop()
	if err != nil {
		return f, err
	}
	f.heap, f.size = heap()-before, system.size()
	f.files, err = filesIn(dir)
	return f, err
}

// build adds the passages, and returns questions about some of them. The time to make the text
// up does not count.
func (f *figures) build(ctx context.Context, o options, t *text, system finder, n int) (asked []string, err error) {
	taken, total := time.Duration(0), 0
	passages := make([]string, 0, batchSize)
	for id := 0; id < n; id += len(passages) {
		passages = passages[:0]
		for len(passages) < min(batchSize, n-id) {
			passages = append(passages, t.passage())
		}
		start := time.Now()
		for i, p := range passages {
			total += strings.Count(p, " ") + 1
			if err := system.add(id+i, p); err != nil {
				return nil, err
			}
		}
		taken += time.Since(start)
		for range max(1, o.questions*len(passages)/n) {
			asked = append(asked, t.question(passages[t.draw.IntN(len(passages))]))
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	start := time.Now()
	err = system.flush()
	f.words = float64(total) / (taken + time.Since(start)).Seconds()
	return asked, err
}

// one adds passages one by one.
func (f *figures) one(t *text, system finder, n, added int) error {
	var times []time.Duration
	for i := range added {
		p := t.passage()
		start := time.Now()
		if err := system.addOne(n+i, p); err != nil {
			return err
		}
		times = append(times, time.Since(start))
	}
	f.added50, f.added95 = milliseconds(times, .5), milliseconds(times, .95)
	return nil
}

// ask asks all questions, each several times: its shortest time counts.
func (f *figures) ask(ctx context.Context, system finder, asked []string, often int) error {
	var times []time.Duration
	for _, q := range asked {
		shortest := time.Duration(math.MaxInt64)
		for range often {
			start := time.Now()
			found, err := system.find(ctx, q, candidates)
			shortest = min(shortest, time.Since(start))
			if err != nil {
				return err
			}
			f.found += int64(found)
		}
		times = append(times, shortest)
	}
	if f.found == 0 {
		return fmt.Errorf("%d questions found nothing", len(asked))
	}
	f.p50, f.p95, f.p99 = milliseconds(times, .5), milliseconds(times, .95), milliseconds(times, .99)
	return nil
}

func milliseconds(times []time.Duration, share float64) float64 {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return float64(times[int(share*float64(len(times)-1))].Nanoseconds()) / 1e6
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func filesIn(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		about, err := e.Info()
		if err == nil {
			total += about.Size()
		}
		return err
	})
	return total, err
}
