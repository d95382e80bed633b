// Command dispatch measures how many jobs a second Kappa's lanes work on, with
// history and events kept, against River on the same database, and against the
// bare loop of claims and completions on the same machine. Jobs do nothing. All
// are stored before the clock starts; it stops when the last one has completed.
// The systems take turns, so that a busy moment of the machine hits all of them;
// medians and ratios count, not the single figures.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/kappagraph/kappa/internal/pgembed"
)

// contender is a system that works on no-op jobs.
type contender struct {
	name string
	// run stores jobs, works on them, and returns how long the work took. It
	// leaves the database as it found it.
	run func(ctx context.Context, dsn string, jobs int) (time.Duration, error)
}

func main() {
	jobs := flag.Int("jobs", 20_000, "jobs in each run")
	rounds := flag.Int("rounds", 5, "runs of each system")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := compare(ctx, *jobs, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func compare(ctx context.Context, jobs, rounds int) (err error) {
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
	contenders := []contender{
		{"bare claim + complete loop", bareLoop},
		{"Kappa, lanes with events", kappaLanes},
		{"River v0.51, tuned", river(true)},
		{"River v0.51, default", river(false)},
	}
	rates := make([][]float64, len(contenders))
	for round := range rounds {
		for i, c := range contenders {
			n := jobs
			if c.name == "River v0.51, default" {
				n = max(jobs/10, 100) // it is slower by an order of magnitude
			}
			took, err := c.run(ctx, cluster.DSN(pgembed.Database), n)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			rates[i] = append(rates[i], float64(n)/took.Seconds())
			fmt.Fprintf(os.Stderr, "round %d: %-28s %8.0f jobs/s\n", round+1, c.name, rates[i][round])
		}
	}
	report(contenders, rates, jobs)
	return wakeUps(ctx, cluster.DSN(pgembed.Database), 500)
}

// report prints medians, their spread, and Kappa in relation to each.
func report(contenders []contender, rates [][]float64, jobs int) {
	fmt.Printf("no-op jobs, %d stored beforehand, one process, private PostgreSQL, fsync on\n\n", jobs)
	fmt.Printf("%-30s %12s %22s %14s\n", "system", "median", "lowest to highest", "Kappa is")
	ours := median(rates[1])
	for i, c := range contenders {
		fmt.Printf("%-30s %8.0f j/s %10.0f to %8.0f %12.2f ×\n", c.name, median(rates[i]), slices.Min(rates[i]), slices.Max(rates[i]), ours/median(rates[i]))
	}
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}
