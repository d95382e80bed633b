//go:build cgo && linux

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

func main() {
	var b bench
	flag.StringVar(&b.kg, "kg", "bin/kg", "the kg program; kg-data is beside it")
	short := flag.Bool("short", false, "a tenth of the repetitions")
	only := flag.String("only", "warm,cold,footer,bombs,endurance", "what to measure; graph besides")
	flag.Parse()
	b.times = 10
	if *short {
		b.times = 1
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := b.run(ctx, strings.Split(*only, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one run.
type bench struct {
	kg    string
	times int // 10, or 1 for a short run
	dir   string
	table []row
	files *source
	duck  *reference
}

// row is a line of the result.
type row struct {
	what, must, measured string
	holds                bool
}

func (b *bench) add(what, must string, holds bool, measured string, values ...any) {
	b.table = append(b.table, row{what, must, fmt.Sprintf(measured, values...), holds})
}

// part is something to measure.
type part struct {
	name    string
	measure func(context.Context) error
}

func (b *bench) run(ctx context.Context, only []string) error {
	parts := []part{{"warm", b.warm}, {"cold", b.cold}, {"footer", b.footer}, {"graph", b.graph}, {"bombs", b.bombs}, {"endurance", b.endurance}}
	for _, name := range only {
		if !slices.ContainsFunc(parts, func(p part) bool { return p.name == name }) {
			return fmt.Errorf("-only: there is no %q", name)
		}
	}
	var err error
	if b.dir, err = os.MkdirTemp("", "kg-bench-datasets-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if b.duck, err = newReference(); err != nil {
		return err
	}
	defer b.duck.close()
	if err := b.duck.write(ctx, million, filepath.Join(b.dir, "million.parquet")); err != nil {
		return err
	}
	if b.files, err = newSource(b.dir); err != nil {
		return err
	}
	defer b.files.close()
	for _, p := range parts {
		if slices.Contains(only, p.name) {
			if err := p.measure(ctx); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
	}
	return b.report()
}

func (b *bench) report() error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\tmust\tmeasured\tholds")
	for _, r := range b.table {
		holds := "yes"
		if !r.holds {
			holds = "NO"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.what, r.must, r.measured, holds)
	}
	return w.Flush()
}

// quantile returns the value below which a share of a list is.
func quantile(list []time.Duration, share float64) time.Duration {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

func median(list []time.Duration) time.Duration { return quantile(list, 0.5) }

// short writes a duration in milliseconds.
func short(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }
