package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// round is one campaign of several that make up a large one: each has a
// PostgreSQL, servers and a seed of its own, so that it can be repeated alone.
type round struct {
	Seed       uint64
	Jobs       int
	Faults     int
	Servers    int
	Figures    figures
	Violations []violation
}

// split cuts a campaign into rounds of at most so many faults.
func split(cfg config, mostFaults int) []config {
	n := max(1, (cfg.Faults+mostFaults-1)/mostFaults)
	rounds := make([]config, n)
	for i := range rounds {
		r := cfg
		r.Seed = cfg.Seed + uint64(i)
		r.Jobs = cfg.Jobs*(i+1)/n - cfg.Jobs*i/n
		r.Faults = cfg.Faults*(i+1)/n - cfg.Faults*i/n
		rounds[i] = r
	}
	return rounds
}

// marathon carries out rounds. Faults are injected in one round at a time; where
// they are over, most of what is left is to wait, for suspects run one after the
// other, and the next rounds begin meanwhile.
type marathon struct {
	rounds   []config
	together int           // most rounds at once, those that wait for their jobs included
	state    string        // file with the rounds that are done; empty keeps none
	limit    time.Duration // no round begins after it; 0 is none
	carryOut func(ctx context.Context, cfg config) (figures, []violation, error)
	// summarize, unless nil, is given the sum of the rounds that are done.
	summarize func(f figures, violations []violation) error

	mu  sync.Mutex // guards out and the file
	out io.Writer
}

// result is what became of a round.
type result struct {
	round
	left bool // it was not begun
	err  error
}

// run carries out the rounds that are not done yet, prints each and the sum of
// all, and returns an error when one has failed or is left to be done.
func (m *marathon) run(ctx context.Context) error {
	done, err := readRounds(m.state)
	if err != nil {
		return err
	}
	var sum round
	left := 0
	for i, r := range m.results(ctx, done) {
		switch {
		case r.err != nil:
			err = errors.Join(err, fmt.Errorf("round %d of %d, seed %d: %w", i+1, len(m.rounds), m.rounds[i].Seed, r.err))
		case r.left:
			left++
		default:
			sum.Figures.add(r.Figures)
			sum.Violations = append(sum.Violations, r.Violations...)
		}
	}
	if err != nil {
		return err
	}
	sum.Figures.Seed = m.rounds[0].Seed
	if len(m.rounds) > 1 {
		fmt.Fprintf(m.out, "\nall %d rounds that are done, from ", len(m.rounds)-left)
		sum.Figures.write(m.out, sum.Violations)
	}
	if m.summarize != nil {
		err = m.summarize(sum.Figures, sum.Violations)
	}
	if left > 0 {
		err = errors.Join(err, fmt.Errorf("%d of %d rounds are left; the same command goes on with them", left, len(m.rounds)))
	}
	if n := len(sum.Violations); n > 0 {
		err = errors.Join(err, fmt.Errorf("%d violations", n))
	}
	return err
}

// results carries out the rounds that are not done yet. After one that could not
// be carried out no other begins; those that run go on to their end.
func (m *marathon) results(ctx context.Context, done []round) []result {
	began := time.Now()
	results := make([]result, len(m.rounds))
	places := make(chan struct{}, max(1, m.together))
	faults := make(chan struct{}, 1)
	var failed atomic.Bool
	var group sync.WaitGroup
	for i, cfg := range m.rounds {
		r := &results[i]
		var known bool
		if r.round, known = find(done, cfg); known {
			continue
		}
		places <- struct{}{}
		faults <- struct{}{}
		over := sync.OnceFunc(func() { <-faults })
		if failed.Load() || ctx.Err() != nil || m.limit > 0 && time.Since(began) > m.limit {
			r.left = true
			over()
			<-places
			continue
		}
		cfg.FaultsOver = over
		group.Go(func() {
			if r.round, r.err = m.one(ctx, cfg); r.err != nil {
				failed.Store(true)
			}
			over()
			<-places
		})
	}
	group.Wait()
	return results
}

// one carries out a round and records it.
func (m *marathon) one(ctx context.Context, cfg config) (round, error) {
	f, violations, err := m.carryOut(ctx, cfg)
	if err != nil {
		return round{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	f.write(m.out, violations)
	r := round{Seed: cfg.Seed, Jobs: cfg.Jobs, Faults: cfg.Faults, Servers: cfg.Servers, Figures: f, Violations: violations}
	if m.state == "" {
		return r, nil
	}
	file, err := os.OpenFile(m.state, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return r, fmt.Errorf("note the round: %w", err)
	}
	if err := errors.Join(json.NewEncoder(file).Encode(r), file.Close()); err != nil {
		return r, fmt.Errorf("note the round: %w", err)
	}
	return r, nil
}

// find returns the round of a setting, if it is done.
func find(done []round, cfg config) (round, bool) {
	for _, r := range done {
		if r.Seed == cfg.Seed && r.Jobs == cfg.Jobs && r.Faults == cfg.Faults && r.Servers == cfg.Servers {
			return r, true
		}
	}
	return round{}, false
}

// readRounds reads the rounds that are done. A last line without its end is one
// whose writer was interrupted: that round is not done.
func readRounds(path string) ([]round, error) {
	text, err := os.ReadFile(path)
	if path == "" || errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the rounds that are done: %w", err)
	}
	if whole := text[:bytes.LastIndexByte(text, '\n')+1]; len(whole) < len(text) {
		text = whole
		if err := os.WriteFile(path, whole, 0o644); err != nil {
			return nil, fmt.Errorf("cut the interrupted round off: %w", err)
		}
	}
	var done []round
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		var r round
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("read the rounds that are done from %s: %w", path, err)
		}
		done = append(done, r)
	}
	return done, nil
}
