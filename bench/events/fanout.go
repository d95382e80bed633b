package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa/work"
)

const (
	perConnection = 30 // kB of memory, at most
	eventEvery    = 300 * time.Millisecond
	firstProgress = 4 // number of the event: submitted, approved and processing come before
)

// fanoutLimit is the demand for a number of clients.
func fanoutLimit(clients int) time.Duration {
	if clients <= 1000 {
		return 15 * time.Millisecond
	}
	return 60 * time.Millisecond
}

// fanout measures how long one progress event of a running job takes from its
// commit to the last of many clients, and what each of them costs the server.
// The floor is a loop in Go that writes the same event to as many clients.
func (b *bench) fanout(ctx context.Context) error {
	heading := []string{"clients", "floor p50", "p50", "p10 to p90", "at most", "of the floor", "must", "", "memory each", "must", ""}
	var rows [][]string
	for text := range strings.SplitSeq(b.clients, ",") {
		clients, err := strconv.Atoi(text)
		if err != nil || clients < 1 {
			return fmt.Errorf("-clients must be numbers from 1, got %q", text)
		}
		if err := raiseFileLimit(2*clients + 500); err != nil {
			rows = append(rows, b.report.unavailable(text, len(heading), err))
			continue
		}
		floor, err := bareFanout(ctx, clients, b.events)
		if err != nil {
			return fmt.Errorf("floor of %d clients: %w", clients, err)
		}
		took, memory, err := b.fanoutTo(ctx, clients)
		if err != nil {
			return fmt.Errorf("%d clients: %w", clients, err)
		}
		limit, each := fanoutLimit(clients), float64(memory)/float64(clients)/1024
		rows = append(rows, []string{
			text, ms(at(floor, 0.5)), ms(at(took, 0.5)), ms(at(took, 0.1)) + " to " + ms(at(took, 0.9)), ms(at(took, 1)),
			fmt.Sprintf("%.1f ×", float64(at(took, 0.5))/float64(at(floor, 0.5))), "p50 ≤ " + ms(limit), b.report.verdict(at(took, 0.5) <= limit),
			fmt.Sprintf("%.1f kB", each), fmt.Sprintf("≤ %d kB", perConnection), b.report.verdict(each <= perConnection),
		})
	}
	b.report.table(fmt.Sprintf("commit → the last client of one job receives, %d events; floor: a bare loop of TCP writes to as many clients", b.events), heading, rows)
	return nil
}

// fanoutTo measures one number of clients on a server of its own.
func (b *bench) fanoutTo(ctx context.Context, clients int) (took []time.Duration, memory int64, err error) {
	dsn, err := b.newDatabase(ctx, fmt.Sprintf("fanout_%d", clients))
	if err != nil {
		return nil, 0, err
	}
	c, err := b.newCrowd(ctx, dsn, clients)
	if err != nil {
		return nil, 0, err
	}
	s, err := b.startFor(ctx, dsn, c)
	if err != nil {
		return nil, 0, err
	}
	defer s.Stop()
	before, err := s.memory()
	if err != nil {
		return nil, 0, err
	}
	all, err := newAudience()
	if err != nil {
		return nil, 0, err
	}
	defer all.close()
	last, err := b.watchTogether(ctx, s, all, c, clients)
	if err != nil {
		return nil, 0, err
	}
	after, err := s.memory()
	if err != nil {
		return nil, 0, err
	}
	took, err = all.times(ctx, dsn, last, clients)
	return took, after - before, err
}

// watchTogether has all clients follow a job, which is still running when it
// returns the last event that all have received.
func (b *bench) watchTogether(ctx context.Context, s *server, all *audience, c crowd, clients int) (last event, err error) {
	steps := 2 * int64(b.events)
	data, err := json.Marshal(map[string]int64{"ms": steps * eventEvery.Milliseconds(), "steps": steps})
	if err != nil {
		return last, err
	}
	id, err := s.submit(ctx, work.NewJob{Type: work.TypeSleep, Data: data})
	if err != nil {
		return last, err
	}
	if err := all.open(ctx, s.addr, c.seats(clients, id)); err != nil {
		return last, err
	}
	if _, err := s.api.Jobs.Approve(ctx, id); err != nil {
		return last, err
	}
	last = event{id, int64(firstProgress + b.events - 1)}
	limit := time.Duration(b.events)*eventEvery + eventTimeout
	return last, all.until(ctx, limit, "all have the last event", func() bool { return all.arrivals[last].clients == clients })
}

// times returns how long each progress event up to the last one took from its
// commit to its last client. It returns an error when one has not reached all.
func (a *audience) times(ctx context.Context, dsn string, last event, clients int) ([]time.Duration, error) {
	committed, err := commitTimes(ctx, dsn, "progress")
	if err != nil {
		return nil, err
	}
	var took []time.Duration
	for e, at := range committed {
		if e.seq > last.seq {
			continue
		}
		arrived := a.arrival(e)
		if arrived.clients != clients {
			return nil, fmt.Errorf("event %d has reached %d of %d clients", e.seq, arrived.clients, clients)
		}
		took = append(took, arrived.last.Sub(at))
	}
	return took, nil
}
