package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	warmUps  = 3
	leastOf  = 5 // calls, of a route that takes long
	mostTime = 20 * time.Second
)

// measured is what a route has cost on both graphs, the smaller one first.
type measured struct {
	route

	skipped string // why it was not asked
	failed  string // what it answered instead
	p50     [2]time.Duration
	pages   [2]int64 // for a call
	rows    [2]int64
	bytes   [2]int  // of the last answer
	rate    int     // answers a second of the larger graph, asked many times at once; 0: not measured
	cpu     float64 // milliseconds of processor time that each of these takes, of the server and of PostgreSQL
}

// measure asks a route on both graphs in turns, so that other work on the machine is in both
// figures.
func measure(ctx context.Context, sites [2]*site, r route, calls int) (measured, error) {
	m := measured{route: r, skipped: unasked[r.id]}
	if m.skipped != "" {
		return m, nil
	}
	var took [2][]time.Duration
	var before [2]read
	begin := time.Now()
	for n := range warmUps + calls {
		if n == warmUps {
			for i, s := range sites {
				var err error
				if before[i], err = s.read(ctx); err != nil {
					return m, err
				}
			}
		}
		if n > leastOf+warmUps && time.Since(begin) > mostTime {
			break
		}
		for i, s := range sites {
			q, err := r.question(s.graph, n)
			if err != nil {
				return m, err
			}
			t, status, size, err := s.ask(ctx, q)
			if err != nil {
				return m, fmt.Errorf("%s: %w", r, err)
			}
			if status >= 300 {
				m.failed = fmt.Sprintf("%d to %s", status, strings.TrimSpace(q.path+" "+q.body))
				return m, nil
			}
			if n >= warmUps {
				took[i], m.bytes[i] = append(took[i], t), size
			}
		}
	}
	for i, s := range sites {
		after, err := s.read(ctx)
		if err != nil {
			return m, err
		}
		slices.Sort(took[i])
		count := int64(len(took[i]))
		m.p50[i], m.pages[i], m.rows[i] = took[i][count/2], (after.pages-before[i].pages)/count, (after.rows-before[i].rows)/count
	}
	return m, nil
}

// crowdFor is how long a route is asked many times at once.
const crowdFor = 500 * time.Millisecond

// crowd asks a route from many clients at once, and returns how many answers a second came,
// and the milliseconds of processor time that each took: other work on the machine changes
// these less.
func crowd(ctx context.Context, s *site, r route, clients int) (rate int, cpu float64, err error) {
	before, err := s.processorTime()
	if err != nil {
		return 0, 0, err
	}
	var answers atomic.Int64
	var failed atomic.Pointer[error]
	var asking sync.WaitGroup
	begin := time.Now()
	for client := range clients {
		asking.Go(func() {
			for n := client; time.Since(begin) < crowdFor; n += clients {
				q, err := r.question(s.graph, n)
				if err == nil {
					_, _, _, err = s.ask(ctx, q)
				}
				if err != nil {
					failed.Store(&err)
					return
				}
				answers.Add(1)
			}
		})
	}
	asking.Wait()
	if err := failed.Load(); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", r, *err)
	}
	rate = int(float64(answers.Load()) / time.Since(begin).Seconds())
	after, err := s.processorTime()
	return rate, milliseconds(after-before) / float64(max(1, answers.Load())), err
}
