// Command routes asks every route of the OpenAPI document that reads, on two graphs of
// which one has ten times as much as the other, and fails when a route costs more on the
// larger one. A question is as large in both graphs: a concept has as many quotes and
// relationships, a document as many chunks. So whatever grows reads more than it shows.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"strings"
	"syscall"

	"github.com/kappagraph/kappa/internal/pgembed"
)

// options are the sizes of the run, and what is demanded.
type options struct {
	kg     string
	whole  size
	tenth  int // by how much the smaller graph is smaller
	calls  int
	only   string
	ratio  float64
	floor  float64 // milliseconds
	vacuum bool
	atOnce int
}

func main() {
	var o options
	flag.StringVar(&o.kg, "kg", "bin/kg", "the kg program")
	flag.IntVar(&o.whole.concepts, "concepts", 10_000, "concepts of the larger graph, at least 1,000")
	flag.IntVar(&o.whole.quotes, "quotes", 100_000, "its quotes")
	flag.IntVar(&o.whole.documents, "documents", 2_000, "its documents")
	flag.IntVar(&o.tenth, "divide", 10, "by how much the smaller graph is smaller")
	flag.IntVar(&o.calls, "calls", 20, "how often each route is asked on each graph")
	flag.StringVar(&o.only, "only", "", "a regular expression of routes, as in 'GET /ontology'")
	flag.Float64Var(&o.ratio, "ratio", 1.5, "how many times the median of the smaller graph a route may take on the larger one")
	flag.Float64Var(&o.floor, "floor", 2, "milliseconds that a route may take at any size")
	flag.BoolVar(&o.vacuum, "vacuum", true, "vacuum the graphs first; without it they are as right after an import")
	flag.IntVar(&o.atOnce, "at-once", 0, "ask each route for half a second so many times at once on the larger graph too, and say how many answers a second came")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	wanted, err := regexp.Compile(o.only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	fmt.Println(machine())
	c, err := startCluster(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close(ctx)) }()
	var sites [2]*site
	for i, s := range []size{o.whole.divided(o.tenth), o.whole} {
		if sites[i], err = c.open(ctx, o, s); err != nil {
			return err
		}
		defer sites[i].close(ctx)
	}
	routes, err := readRoutes(ctx, sites[1])
	if err != nil {
		return err
	}
	r := report{options: o, pages: c.counts}
	for _, route := range routes {
		if !wanted.MatchString(route.String()) {
			continue
		}
		if err := r.measure(ctx, sites, route); err != nil {
			return err
		}
	}
	return r.print(os.Stdout, sites)
}

// machine says what the figures depend on: they mean little beside other work.
func machine() string {
	text := fmt.Sprintf("%d processors", runtime.NumCPU())
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		text += ", load " + strings.Fields(string(load))[0] + " at the start"
	}
	return text + "; client, both servers and private PostgreSQL on one machine"
}

// cluster is the private PostgreSQL of both graphs.
type cluster struct {
	*pgembed.Cluster

	dir    string
	counts bool // pages and rows are counted
}
