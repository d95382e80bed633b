package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kappagraph/kappa/bench/processor"
)

// speed times questions over HTTP, one after the other and many at once.
func (b *bench) speed(ctx context.Context) error {
	s := b.sets[0]
	l, err := b.open(ctx, s.name, s.articles)
	if err != nil {
		return err
	}
	defer l.Stop()
	all := spread(s.articles, 1000)
	if err := b.timed(ctx, l, all); err != nil {
		return err
	}
	if err := b.typed(ctx, l, all); err != nil {
		return err
	}
	f, err := newFTS(s.articles)
	if err != nil {
		return err
	}
	defer f.close()
	took, err := f.times(all)
	if err != nil {
		return err
	}
	fmt.Printf("  SQLite  one at a time, in this process, %s\n", quantiles(took))
	return nil
}

// crowd is how many questions are asked at once at most.
const crowd = 100

// timed asks questions one at a time, and then b.at at once.
func (b *bench) timed(ctx context.Context, l *library, all []asked) error {
	took := make([]time.Duration, len(all))
	ask := func(i int) error {
		began := time.Now()
		_, err := l.ask(ctx, all[i].text)
		took[i] = time.Since(began)
		return err
	}
	for i := range min(len(all), 50) { // warm
		if err := ask(i); err != nil {
			return err
		}
	}
	for _, at := range []int{1, b.at, crowd} {
		before, err := l.processors()
		if err != nil {
			return err
		}
		began := time.Now()
		if err := atOnce(ctx, at, len(all), ask); err != nil {
			return err
		}
		rate := float64(len(all)) / time.Since(began).Seconds()
		after, err := l.processors()
		if err != nil {
			return err
		}
		each := func(before, after time.Duration) float64 {
			return float64((after - before).Microseconds()) / 1000 / float64(len(all))
		}
		fmt.Printf("  kg      %3d at once, over HTTP, %s, %.0f a second, processor time of one: server %.2f ms, PostgreSQL %.2f ms\n",
			at, quantiles(took), rate, each(before.server, after.server), each(before.cluster, after.cluster))
	}
	return nil
}

// processors is how much processor time a server and its PostgreSQL have taken.
type processors struct{ server, cluster time.Duration }

func (l *library) processors() (p processors, err error) {
	if p.server, err = processor.Of(l.PID()); err != nil {
		return p, err
	}
	p.cluster, err = processor.OfCluster(l.cluster)
	return p, err
}

// quantiles says how long things took.
func quantiles(took []time.Duration) string {
	sorted := slices.Sorted(slices.Values(took))
	at := func(q float64) float64 {
		return float64(sorted[min(len(sorted)-1, int(q*float64(len(sorted))))].Microseconds()) / 1000
	}
	return fmt.Sprintf("p50 %.2f ms, p95 %.2f ms, p99 %.2f ms", at(0.5), at(0.95), at(0.99))
}
