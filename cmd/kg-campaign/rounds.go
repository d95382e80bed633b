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

// marathon carries out rounds one after another.
type marathon struct {
	rounds   []config
	state    string        // file with the rounds that are done; empty keeps none
	limit    time.Duration // no round begins after it; 0 is none
	carryOut func(ctx context.Context, cfg config) (figures, []violation, error)
	out      io.Writer
	// summarize, unless nil, is given the sum of the rounds that are done.
	summarize func(f figures, violations []violation) error
}

// run carries out the rounds that are not done yet, prints each and the sum of
// all, and returns an error when one has failed or is left to be done.
func (m marathon) run(ctx context.Context) error {
	done, err := readRounds(m.state)
	if err != nil {
		return err
	}
	began := time.Now()
	var sum round
	left := 0
	for i, cfg := range m.rounds {
		r, known := find(done, cfg)
		if !known {
			if m.limit > 0 && time.Since(began) > m.limit {
				left++
				continue
			}
			if r, err = m.one(ctx, cfg); err != nil {
				return fmt.Errorf("round %d of %d, seed %d: %w", i+1, len(m.rounds), cfg.Seed, err)
			}
		}
		sum.Figures.add(r.Figures)
		sum.Violations = append(sum.Violations, r.Violations...)
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

// one carries out a round and notes it.
func (m marathon) one(ctx context.Context, cfg config) (round, error) {
	f, violations, err := m.carryOut(ctx, cfg)
	if err != nil {
		return round{}, err
	}
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
