package main

import (
	"context"
	"fmt"
	"time"

	"github.com/kappagraph/kappa/work"
)

const costLimit = 10.0 // percent of the commits that progress events may cost

// variant is a way in which writers report their progress.
type variant struct {
	name     string
	every    time.Duration // between two events of a job; 0: one with each commit, less: none
	notifies bool          // by the coalescing notifier, after the commit
	inside   bool          // by pg_notify, in the transaction
	demand   bool
}

// commits measures how many checkpoints a second many writers store, each for a
// running job of its own, as fast as they can. The variants take turns, and the
// cost of each is that against the first in the same round.
func (b *bench) commits(ctx context.Context) error {
	variants := []variant{
		{name: "no events", every: -1},
		{name: "as jobs do: at most 10 events/s each, notifier", every: time.Second / work.ProgressPerSecond, notifies: true, demand: true},
		{name: "an event with each commit, no notifier"},
		{name: "an event with each commit, notifier", notifies: true},
		{name: "an event with each commit, pg_notify inside", inside: true},
	}
	w, err := b.newWriters(ctx)
	if err != nil {
		return err
	}
	defer w.close(ctx)
	turns := make([][]turn, len(variants))
	for round := range b.rounds + 1 {
		for n := range variants {
			i := (n + round) % len(variants) // none always follows the same one
			t, err := w.turn(ctx, variants[i], b.each)
			if err != nil {
				return fmt.Errorf("%s: %w", variants[i].name, err)
			}
			if round > 0 { // the first is for getting warm
				turns[i] = append(turns[i], t)
			}
		}
	}
	heading := []string{"notification", "commits/s", "p10 to p90", "events/s", "notifications/s", "cost", "p10 to p90", "must", ""}
	var rows [][]string
	for i, v := range variants {
		rows = append(rows, b.report.commits(v, turns[i], turns[0]))
	}
	b.report.table(fmt.Sprintf("%d writers store checkpoints as fast as they can, %d turns of %s each; one connection listens", b.writers, b.rounds, b.each), heading, rows)
	return nil
}

// commits returns the row of a variant.
func (r *report) commits(v variant, turns, silent []turn) []string {
	var rates, events, notifications, costs []float64
	for i, t := range turns {
		rates, events = append(rates, t.commits), append(events, t.events)
		notifications = append(notifications, t.notifications)
		costs = append(costs, 100*(1-t.commits/silent[i].commits))
	}
	row := []string{
		v.name, fmt.Sprintf("%.0f", at(rates, 0.5)), fmt.Sprintf("%.0f to %.0f", at(rates, 0.1), at(rates, 0.9)),
		fmt.Sprintf("%.0f", at(events, 0.5)), fmt.Sprintf("%.0f", at(notifications, 0.5)),
		fmt.Sprintf("%.1f %%", at(costs, 0.5)), fmt.Sprintf("%.1f to %.1f %%", at(costs, 0.1), at(costs, 0.9)), "", "",
	}
	if v.demand {
		row[7], row[8] = fmt.Sprintf("≤ %.0f %%", costLimit), r.verdict(at(costs, 0.5) <= costLimit)
	}
	return row
}
