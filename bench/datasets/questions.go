//go:build cgo && linux

package main

import (
	"context"
	"path/filepath"
	"syscall"
	"time"
)

// warm asks the same question by turns to the server and in this process.
func (b *bench) warm(ctx context.Context) error {
	s, err := b.serve(ctx)
	if err != nil {
		return err
	}
	defer s.Stop()
	own := questionTo(filepath.Join(b.dir, "million.parquet"))
	var inside, outside []time.Duration
	for i := range 8 + 30*b.times {
		d, n, err := b.duck.ask(ctx, own)
		if err != nil {
			return err
		}
		served, rows, err := s.ask(ctx, b.files.url)
		if err != nil {
			return err
		}
		if n != rows {
			return errRows
		}
		if i >= 8 { // each worker has begun
			inside, outside = append(inside, d), append(outside, served)
		}
	}
	in, out := median(inside), median(outside)
	limit := time.Duration(1.3*float64(in)) + 5*time.Millisecond
	b.add("1 M rows, one group-by, warm worker, over HTTP", "≤ 1.3 × in process + 5 ms", out <= limit,
		"%s against %s in process, medians of %d: %.2f × + 5 ms", short(out), short(in), len(inside), float64(out-5*time.Millisecond)/float64(in))
	return nil
}

// cold kills the worker before each question.
func (b *bench) cold(ctx context.Context) error {
	s, err := b.serve(ctx, "KG_DATASET_WORKERS=1")
	if err != nil {
		return err
	}
	defer s.Stop()
	var first, second []time.Duration
	for range 1 + 5*b.times {
		for _, pid := range s.workers() {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				return err
			}
		}
		for len(s.workers()) > 0 {
			time.Sleep(time.Millisecond)
		}
		for _, list := range []*[]time.Duration{&first, &second} {
			d, _, err := s.ask(ctx, b.files.url)
			if err != nil {
				return err
			}
			*list = append(*list, d)
		}
	}
	more := median(first[1:]) - median(second[1:]) // the first one fetches the file
	b.add("first question with a cold worker", "≤ 150 ms more", more <= 150*time.Millisecond,
		"%s more: %s against %s, medians of %d", short(more), short(median(first[1:])), short(median(second[1:])), len(first)-1)
	return nil
}

// endurance asks again and again, and compares the end with the beginning. The same question
// in this process, now and then, says how much of a change is the machine's.
func (b *bench) endurance(ctx context.Context) error {
	s, err := b.serve(ctx)
	if err != nil {
		return err
	}
	defer s.Stop()
	count := 1000 * b.times
	tenth := count / 10
	own := questionTo(filepath.Join(b.dir, "million.parquet"))
	var all, inside []time.Duration
	var memory []int64
	for i := range count {
		d, _, err := s.ask(ctx, b.files.url)
		if err != nil {
			return err
		}
		all = append(all, d)
		if i%10 == 0 {
			d, _, err := b.duck.ask(ctx, own)
			if err != nil {
				return err
			}
			inside = append(inside, d)
		}
		if len(all)%tenth == 0 {
			memory = append(memory, resident(s.PID()))
		}
	}
	// The first tenth fills caches and pools; growth is what comes after it.
	ratio := func(from, to int) float64 {
		return float64(median(all[from:to])) / float64(median(inside[from/10:to/10]))
	}
	early, late := ratio(tenth, 2*tenth), ratio(count-tenth, count)
	grown := memory[len(memory)-1] - memory[1]
	const room = 16 << 20 // of a collector that works when it likes
	b.add("questions without growth", "10,000", late <= 1.15*early && grown <= room && count >= 10000,
		"%d: median %s in the second tenth, %s in the last, which is %.2f × and %.2f × in process; the server %d MiB, then %d MiB",
		count, short(median(all[tenth:2*tenth])), short(median(all[count-tenth:])), early, late, memory[1]>>20, memory[len(memory)-1]>>20)
	return nil
}
