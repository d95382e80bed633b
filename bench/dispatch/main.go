// Command dispatch measures how many jobs a second Kappa's lanes work on, with
// history and events kept, against River on the same database, and against the
// bare loop of claims and completions on the same machine. Jobs do nothing. All
// are stored before the clock starts; it stops when the last one has completed.
// The systems take turns, so that a busy moment of the machine hits all of them;
// medians and ratios count, not the single figures.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/kappagraph/kappa/internal/pgembed"
)

// contender is a system that works on no-op jobs.
type contender struct {
	name   string
	slower int // by about so many times: it gets that much less to do
	// run stores jobs, works on them, and returns how long the work took. It
	// leaves the database as it found it.
	run func(ctx context.Context, l lab, jobs int) (figure, error)
}

func main() {
	jobs := flag.Int("jobs", 60_000, "jobs in each run")
	rounds := flag.Int("rounds", 5, "runs of each system")
	only := flag.String("only", "", "systems to run, wake-ups, or pinned claims: a regular expression")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := compare(ctx, *jobs, *rounds, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func compare(ctx context.Context, jobs, rounds int, only string) error {
	chosen, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	dir, err := os.MkdirTemp("", "kg-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)                      //nolint:errcheck // temporary
	if err := os.Chmod(dir, 0o755); err != nil { // another user runs the cluster when this one is root
		return err
	}
	cluster, err := pgembed.Start(ctx, pgembed.Config{Dir: dir + "/postgres"})
	if err != nil {
		return err
	}
	defer cluster.Stop(context.WithoutCancel(ctx)) //nolint:errcheck // its data goes with it
	dsn := cluster.DSN(pgembed.Database)
	if chosen.MatchString("wake-ups") { // first, while the database is small and has nothing to clean up
		if err := errors.Join(wakeUps(ctx, dsn, 500, true), wakeUps(ctx, dsn, 60, false)); err != nil {
			return err
		}
	}
	list := slices.DeleteFunc(contenders(ctx, dir), func(c contender) bool { return !chosen.MatchString(c.name) })
	if len(list) > 0 {
		if err := race(ctx, list, lab{dsn, dir + "/postgres/data"}, jobs, rounds); err != nil {
			return err
		}
	}
	if !chosen.MatchString("pinned claims") {
		return nil
	}
	return pinnedClaims(ctx, dsn)
}

// contenders returns who takes part. Those of Node.js are left out, aloud, where
// they cannot be installed.
func contenders(ctx context.Context, dir string) []contender {
	list := []contender{
		{"bare claim + complete loop", 1, bareLoop},
		{"Kappa, 1,500 slots", 1, kappaLanes(1, 1500)},
		{"Kappa, 100 slots", 1, kappaLanes(1, 100)},
		{"Kappa, 10 servers, 1,500 slots", 1, kappaLanes(10, 1500)},
		{"River v0.51, default", 10, river(riverTuning{workers: 100})},
		{"River v0.51, tuned, 100", 1, river(riverTuning{workers: 100, quick: true})},
		{"River v0.51, tuned, 500", 1, river(riverTuning{workers: 500, quick: true})},
		{"River v0.51, tuned, 2,000", 1, river(riverTuning{workers: 2000, quick: true})},
	}
	programs, err := installNode(ctx, dir+"/node")
	if err != nil {
		fmt.Fprintln(os.Stderr, "graphile-worker and pg-boss are left out:", err)
		return list
	}
	return append(list,
		contender{"graphile-worker 0.17, batches", 1, programs.run("graphile-worker.mjs")},
		contender{"pg-boss 10.4, batches", 1, programs.run("pg-boss.mjs")})
}

// race has the contenders take turns, and prints what they reached.
func race(ctx context.Context, list []contender, l lab, jobs, rounds int) error {
	results := make([]result, len(list))
	for round := range rounds {
		for i, c := range list {
			n := max(jobs/c.slower, 100)
			took, err := c.run(ctx, l, n)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			results[i].rates = append(results[i].rates, float64(n)/took.wall.Seconds())
			results[i].cpus = append(results[i].cpus, float64(took.cpu.Microseconds())/float64(n))
			fmt.Fprintf(os.Stderr, "round %d: %-32s %8.0f jobs/s %6.0f µs/job\n", round+1, c.name, results[i].rates[round], results[i].cpus[round])
		}
	}
	report(list, results, jobs)
	return nil
}

// result is what a contender reached in each round.
type result struct {
	rates []float64 // jobs a second
	cpus  []float64 // microseconds of processor time a job
}

// report prints medians, their spread, and Kappa in relation to each.
func report(list []contender, results []result, jobs int) {
	fmt.Printf("\nno-op jobs, %d stored beforehand, one process, private PostgreSQL, fsync on\n\n", jobs)
	fmt.Printf("%-32s %12s %20s %10s %12s\n", "system", "median", "lowest to highest", "Kappa is", "CPU a job")
	ours := results[0]
	for i, c := range list {
		if strings.HasPrefix(c.name, "Kappa") {
			ours = results[i]
			break
		}
	}
	for i, c := range list {
		r := results[i]
		fmt.Printf("%-32s %8.0f j/s %8.0f to %8.0f %8.2f × %9.0f µs\n", c.name, median(r.rates), slices.Min(r.rates), slices.Max(r.rates),
			median(ours.rates)/median(r.rates), median(r.cpus))
	}
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}
