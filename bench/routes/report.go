package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// report collects what was measured.
type report struct {
	options

	pages bool // pages and rows were counted
	list  []measured
}

// again is how often a route that seems to grow is measured again: other work on the machine
// makes one seem so that does not.
const again = 2

// measure adds what a route costs.
func (r *report) measure(ctx context.Context, sites [2]*site, route route) error {
	best, err := measure(ctx, sites, route, r.calls)
	for n := 0; n < again && err == nil && r.grows(best) && mustGrow[route.id] == ""; n++ {
		var m measured
		if m, err = measure(ctx, sites, route, r.calls); m.ratio() < best.ratio() {
			best = m
		}
	}
	if err == nil && r.atOnce > 0 && best.skipped == "" && best.failed == "" && mustGrow[route.id] == "" {
		best.rate, best.cpu, err = crowd(ctx, sites[1], route, r.atOnce)
	}
	r.list = append(r.list, best)
	return err
}

// ratio is how many times a route's cost on the smaller graph its cost on the larger one is.
func (m measured) ratio() float64 {
	return float64(m.p50[1]) / float64(max(m.p50[0], time.Microsecond))
}

// grows reports whether a route costs more on the larger graph than it may.
func (r *report) grows(m measured) bool {
	return m.ratio() > r.ratio && milliseconds(m.p50[1]) > r.floor
}

// often says how many answers a second came, and what each took.
func (m measured) often() (rate, cpu string) {
	if m.rate == 0 {
		return "-", "-"
	}
	return strconv.Itoa(m.rate), fmt.Sprintf("%.1f", m.cpu)
}

// verdict says in a word how a route has done.
func (r *report) verdict(m measured) string {
	switch {
	case m.failed != "":
		return "FAILED: " + m.failed
	case !r.grows(m):
		return "ok"
	case mustGrow[m.id] != "":
		return "must grow: " + mustGrow[m.id]
	}
	return "GROWS"
}

// print writes the table, the slowest route first, and returns an error when a route grows
// or does not answer.
func (r *report) print(out io.Writer, sites [2]*site) error {
	slices.SortStableFunc(r.list, func(a, b measured) int { return cmp.Compare(b.p50[1], a.p50[1]) })
	var skipped []string
	var bad int
	fmt.Fprintf(out, "\nThe median of %d calls on %s (small) and on %s (whole). Pages are those of PostgreSQL, rows those that its statements return, for a call.\n\n",
		r.calls, sites[0], sites[1])
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "small ms\twhole ms\tratio\tpages\tpages\trows\trows\tbytes\ta second\tCPU ms\t route and verdict")
	for _, m := range r.list {
		if m.skipped != "" {
			skipped = append(skipped, fmt.Sprintf("%s (%s)", m.route, m.skipped))
			continue
		}
		verdict := r.verdict(m)
		if verdict == "GROWS" || m.failed != "" {
			bad++
		}
		rate, cpu := m.often()
		fmt.Fprintf(w, "%.2f\t%.2f\t%.2f\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t %s: %s\n", milliseconds(m.p50[0]), milliseconds(m.p50[1]), m.ratio(),
			m.pages[0], m.pages[1], m.rows[0], m.rows[1], m.bytes[1], rate, cpu, m.route, verdict)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if !r.pages {
		fmt.Fprintln(out, "\nPages and rows were not counted: this PostgreSQL has no pg_stat_statements.")
	}
	if len(skipped) > 0 {
		fmt.Fprintf(out, "\nNot asked: %s.\n", strings.Join(skipped, ", "))
	}
	if bad > 0 {
		return fmt.Errorf("%d routes grow by more than %.1f times with a graph %d times as large, or do not answer", bad, r.ratio, r.tenth)
	}
	fmt.Fprintf(out, "\nNo route grows by more than %.1f times with a graph %d times as large.\n", r.ratio, r.tenth)
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
