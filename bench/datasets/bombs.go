//go:build cgo && linux

package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/work"
)

// bombs are questions that take what there is.
var bombs = []string{
	"SELECT count(*) FROM range(1000000000000) t(i) WHERE sqrt(i) = -1",
	"SELECT sum(a.i * b.i) FROM range(10000000) a(i), range(10000000) b(i)",
	"SELECT list_sum(list(i)) FROM range(1000000000) t(i)",
	"SELECT * FROM range(1000000000) t(i) ORDER BY hash(i)",
	"SELECT string_agg(i::VARCHAR, repeat('x', 1000)) FROM range(10000000) t(i)",
	"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r",
	"SELECT list_transform(range(100000000), x -> repeat('y', x))",
	"SELECT count(DISTINCT i) FROM range(2000000000) t(i)",
}

const (
	atOnce   = 16
	deadline = 8 * time.Second // of a question
)

// bombs sends 16 bombs at once, and meanwhile asks for jobs as a user does.
func (b *bench) bombs(ctx context.Context) error {
	s, err := b.serve(ctx, fmt.Sprintf("KG_DATASET_SECONDS=%d", deadline/time.Second))
	if err != nil {
		return err
	}
	defer s.Stop()
	if _, err := s.requests(ctx, time.Second); err != nil { // warms up
		return err
	}
	var idle, busy []time.Duration
	var dead time.Duration // after the deadline
	before, most := resident(s.PID()), int64(0)
	for range 1 + b.times/5 {
		calm, err := s.requests(ctx, deadline)
		if err != nil {
			return err
		}
		idle = append(idle, calm...)
		r, err := s.underBombs(ctx)
		if err != nil {
			return err
		}
		busy = append(busy, r.requests...)
		dead, most = max(dead, r.dead), max(most, r.memory)
	}
	calm, loaded, grown := quantile(idle, 0.99), quantile(busy, 0.99), max(0, most-before)
	b.add("16 bombs at once: p99 of GET /jobs", "≤ 2 × when idle", loaded <= 2*calm,
		"%s against %s: %.1f × (medians %s and %s; %d and %d requests)", short(loaded), short(calm), float64(loaded)/float64(calm), short(median(busy)), short(median(idle)), len(busy), len(idle))
	b.add("  memory of the server", "+ ≤ 20 MiB", grown <= 20<<20, "+ %.1f MiB", float64(grown)/(1<<20))
	b.add("  all workers dead", "≤ deadline + 200 ms", dead <= 200*time.Millisecond, "deadline %+d ms", dead.Milliseconds())
	return nil
}

// round is what was seen under bombs.
type round struct {
	requests []time.Duration
	memory   int64         // of the server, the most
	dead     time.Duration // when the last worker had ended, after the deadline
}

func (s *server) underBombs(ctx context.Context) (r round, err error) {
	began := time.Now()
	var sent sync.WaitGroup
	for i := range atOnce {
		sent.Go(func() {
			_, _ = s.API.Datasets.Query(ctx, datasets.Query{SQL: bombs[i%len(bombs)], Limit: 1}) // that it fails is the point
		})
	}
	seen := make(chan struct{})
	go func() {
		defer close(seen)
		for ctx.Err() == nil {
			r.memory = max(r.memory, resident(s.PID()))
			if since := time.Since(began); since > deadline && len(s.workers()) == 0 {
				r.dead = since - deadline
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	r.requests, err = s.requests(ctx, deadline-500*time.Millisecond)
	sent.Wait()
	<-seen
	return r, err
}

// requests asks for the jobs a hundred times a second, each at its time however long the
// one before takes, and returns how long each took from when it was due.
func (s *server) requests(ctx context.Context, span time.Duration) ([]time.Duration, error) {
	const every = 10 * time.Millisecond
	took := make([]time.Duration, span/every)
	errs := make([]error, len(took))
	var all sync.WaitGroup
	began := time.Now()
	for i := range took {
		due := began.Add(time.Duration(i) * every)
		time.Sleep(time.Until(due))
		all.Go(func() {
			_, errs[i] = s.API.Jobs.List(ctx, work.JobFilter{Limit: 20})
			took[i] = time.Since(due)
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return took, nil
}
