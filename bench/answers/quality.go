package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// hits counts at which place the right paragraph comes.
type hits struct{ asked, first, three int }

func (h hits) String() string {
	return fmt.Sprintf("first %.3f, among three %.3f of %d", share(h.first, h.asked), share(h.three, h.asked), h.asked)
}

func share(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

// add counts the place of the right paragraph, from 0; -1 is none.
func (h *hits) add(place int) {
	h.asked++
	if place == 0 {
		h.first++
	}
	if place >= 0 && place < 3 {
		h.three++
	}
}

// quality asks all questions of each file of a library of its articles.
func (b *bench) quality(ctx context.Context) error {
	for _, s := range b.sets {
		if err := b.qualityOf(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

func (b *bench) qualityOf(ctx context.Context, s set) error {
	l, err := b.open(ctx, s.name, s.articles)
	if err != nil {
		return err
	}
	defer l.Stop()
	all := spread(s.articles, b.questions)
	places, denied := make([]int, len(all)), make([]bool, len(all))
	err = atOnce(ctx, 4, len(all), func(i int) error {
		answer, err := l.ask(ctx, all[i].text)
		if err != nil {
			return fmt.Errorf("ask %q: %w", all[i].text, err)
		}
		denied[i] = !answer.Found
		places[i] = placeOf(answer.Passages, func(p questions.AskPassage) bool { return l.shows(p, all[i]) })
		return nil
	})
	if err != nil {
		return err
	}
	var h hits
	var d denials
	for i, place := range places {
		h.add(place)
		d.add(all[i], denied[i])
	}
	fmt.Printf("  kg      %s; denied: %s\n", h, d)
	f, err := newFTS(s.articles)
	if err != nil {
		return err
	}
	defer f.close()
	if h, err = f.hits(all); err != nil {
		return err
	}
	fmt.Printf("  SQLite  %s (FTS5, porter, BM25)\n", h)
	return nil
}

// placeOf returns the first place at which something is right, or -1.
func placeOf[T any](list []T, right func(T) bool) int {
	for i, x := range list {
		if right(x) {
			return i
		}
	}
	return -1
}

// atOnce calls do for 0 to n-1, so many at once, and returns its first error.
func atOnce(ctx context.Context, at, n int, do func(i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var all sync.WaitGroup
	for range at {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := do(i); err != nil {
					cancel(err)
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}
