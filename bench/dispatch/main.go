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
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/tracing"
)

// contender is a system that works on no-op jobs.
type contender struct {
	name   string
	slower int // by about so many times: it gets that much less to do
	// run stores jobs in an empty database, works on them, and returns how long the
	// work took.
	run func(ctx context.Context, l lab, jobs int) (figure, error)
}

func main() {
	jobs := flag.Int("jobs", 150_000, "jobs in each run")
	rounds := flag.Int("rounds", 5, "runs of each system")
	only := flag.String("only", "", "systems to run, wake-ups, wake-ups without notifications, or pinned claims: a regular expression")
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
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // another user runs the cluster when this one is root
		return err
	}
	cluster, err := pgembed.Start(ctx, pgembed.Config{Dir: dir + "/postgres"})
	if err != nil {
		return err
	}
	defer cluster.Stop(context.WithoutCancel(ctx))
	// Wake-ups come first, while the cluster has nothing to clean up.
	if chosen.MatchString("wake-ups") {
		if err := wakeUps(ctx, cluster); err != nil {
			return err
		}
	}
	if chosen.MatchString("wake-ups without notifications") {
		if err := cutOff(ctx, cluster); err != nil {
			return err
		}
	}
	tracer, closeTracer, err := newTracer(ctx)
	defer closeTracer()
	if err != nil {
		return err
	}
	list, err := contenders(ctx, dir, chosen, tracer)
	if err != nil {
		return err
	}
	if len(list) > 0 {
		if err := race(ctx, list, cluster, dir+"/postgres/data", jobs, rounds); err != nil {
			return err
		}
	}
	if !chosen.MatchString("pinned claims") {
		return nil
	}
	return pinnedClaims(ctx, cluster.DSN(pgembed.Database))
}

// contenders returns who was chosen. Those of Node.js are left out, aloud, where
// they cannot be installed.
func contenders(ctx context.Context, dir string, chosen *regexp.Regexp, tracer tracing.Tracer) ([]contender, error) {
	notChosen := func(c contender) bool { return !chosen.MatchString(c.name) }
	list := slices.DeleteFunc([]contender{
		{"bare claim + complete loop", 1, bareLoop},
		{"Kappa, 4,000 slots", 1, kappaLanes(1, 4000)},
		{"Kappa, 10 servers, 4,000 slots", 1, kappaLanes(10, 4000)},
		{"Kappa, 4,000 slots, 1 % traced", 1, lanesBeside(1, 4000, beside{tracer: tracer})},
		{"Kappa, 100 slots", 1, kappaLanes(1, 100)},
		{"Kappa, 100 slots, histograms", 1, lanesBeside(1, 100, beside{times: true})},
		{"Kappa, 100 slots, a limit", 1, kappaLanes(1, 100, limited)},
		{"Kappa, 100 slots, a webhook", 1, kappaLanes(1, 100, hooked)},
		{"River v0.51, default", 10, river(riverTuning{workers: 100})},
		{"River v0.51, tuned, 100", 1, river(riverTuning{workers: 100, quick: true})},
		{"River v0.51, tuned, 500", 1, river(riverTuning{workers: 500, quick: true})},
		{"River v0.51, tuned, 2,000", 1, river(riverTuning{workers: 2000, quick: true})},
		{"River v0.51, tuned, 4,000", 1, river(riverTuning{workers: 4000, quick: true})},
	}, notChosen)
	programs := nodePrograms{dir: filepath.Join(dir, "node")}
	onNode := slices.DeleteFunc([]contender{
		{"graphile-worker 0.17, batches", 1, programs.run("graphile-worker.mjs")},
		{"pg-boss 10.4, batches", 1, programs.run("pg-boss.mjs")},
	}, notChosen)
	if len(onNode) == 0 {
		return list, nil
	}
	switch err := programs.install(ctx); {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		fmt.Fprintln(os.Stderr, "graphile-worker and pg-boss are left out:", err)
		return list, nil
	}
	return append(list, onNode...), nil
}

// race has the contenders take turns, each in a database of its own, and prints
// what they reached.
func race(ctx context.Context, list []contender, cluster *pgembed.Cluster, dataDir string, jobs, rounds int) error {
	results := make([]result, len(list))
	for round := range rounds {
		for i, c := range list {
			n := max(jobs/c.slower, 100)
			took, err := inEmptyDatabase(ctx, cluster, func(dsn string) (figure, error) { return c.run(ctx, lab{dsn, dataDir}, n) })
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

// inEmptyDatabase calls run with a new database, so that nothing that others have
// left is cleaned up meanwhile, and drops it.
func inEmptyDatabase(ctx context.Context, cluster *pgembed.Cluster, run func(dsn string) (figure, error)) (figure, error) {
	const name = "bench_run"
	admin := cluster.DSN(pgembed.Database)
	if err := execute(ctx, admin, "CREATE DATABASE "+name); err != nil {
		return figure{}, err
	}
	took, err := run(cluster.DSN(name))
	return took, errors.Join(err, execute(context.WithoutCancel(ctx), admin, "DROP DATABASE "+name+" WITH (FORCE)"))
}

// result is what a contender reached in each round.
type result struct {
	rates []float64 // jobs a second
	cpus  []float64 // microseconds of processor time a job
}

// report prints medians, their spread, and Kappa in relation to each: the median
// of the ratios of each round, because the machine may be slower in one than in
// another.
func report(list []contender, results []result, jobs int) {
	fmt.Printf("\nno-op jobs, %d stored beforehand, one process, private PostgreSQL, fsync on\n\n", jobs)
	fmt.Printf("%-32s %12s %20s %10s %12s\n", "system", "median", "lowest to highest", "Kappa is", "CPU a job")
	ours := results[max(slices.IndexFunc(list, func(c contender) bool { return strings.HasPrefix(c.name, "Kappa") }), 0)]
	for i, c := range list {
		r := results[i]
		ratios := make([]float64, len(r.rates))
		for round, rate := range r.rates {
			ratios[round] = ours.rates[round] / rate
		}
		fmt.Printf("%-32s %8.0f j/s %8.0f to %8.0f %8.2f × %9.0f µs\n", c.name, median(r.rates), slices.Min(r.rates), slices.Max(r.rates),
			median(ratios), median(r.cpus))
	}
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}
