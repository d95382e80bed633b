// Command events measures the event streams of kg serve against what is demanded
// of them: how long a commit takes to a client, on the same server and on
// another; how long one event takes to thousands of clients; what an idle stream
// costs in memory and in queries; and what progress events cost the writers.
//
// The servers are processes of their own on a private cluster that keeps the time
// of each commit, and every measurement has the floor beside it that the machine
// sets in the same run. Ratios and medians count, not the single figures.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/kappagraph/kappa/internal/pgembed"
)

// options are the sizes of the run.
type options struct {
	kg     string
	only   string
	strict bool

	approvals int

	clients string
	events  int

	streams int
	hold    time.Duration

	writers int
	rounds  int
	each    time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.kg, "kg", "bin/kg", "the kg program")
	flag.StringVar(&o.only, "only", "", "sections to run, with commas: "+sectionNames())
	flag.BoolVar(&o.strict, "strict", false, "fail when a demand is missed or something cannot be measured")
	flag.IntVar(&o.approvals, "approvals", 200, "latency: approvals for each way of the events")
	flag.StringVar(&o.clients, "clients", "1000,5000", "fanout: clients of one job, with commas")
	flag.IntVar(&o.events, "events", 25, "fanout: events to each number of clients")
	flag.IntVar(&o.streams, "idle", 10_000, "idle: streams")
	flag.DurationVar(&o.hold, "hold", 60*time.Second, "idle: how long the streams are held and queries counted")
	flag.IntVar(&o.writers, "writers", 32, "commits: connections that write at once")
	flag.IntVar(&o.rounds, "rounds", 12, "commits: turns of each variant")
	flag.DurationVar(&o.each, "each", time.Second, "commits: length of a turn")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// sections are what can be measured, in the order of the report.
var sections = []struct {
	name    string
	measure func(*bench, context.Context) error
}{
	{"latency", (*bench).latency},
	{"fanout", (*bench).fanout},
	{"idle", (*bench).idle},
	{"commits", (*bench).commits},
}

func sectionNames() string {
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
	}
	return strings.Join(names, ",")
}

// machine says what the figures depend on: they mean little beside other work.
func machine() string {
	text := fmt.Sprintf("%d processors", runtime.NumCPU())
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		text += ", load " + strings.Fields(string(load))[0] + " at the start"
	}
	return text + "; everything on loopback, private PostgreSQL, fsync on\n"
}

// bench is one run.
type bench struct {
	options
	report  *report
	dir     string
	cluster *pgembed.Cluster
}

func run(ctx context.Context, o options) (err error) {
	chosen := strings.Split(sectionNames(), ",")
	if o.only != "" {
		chosen = strings.Split(o.only, ",")
	}
	for _, name := range chosen {
		if !slices.Contains(strings.Split(sectionNames(), ","), name) {
			return fmt.Errorf("-only must name sections of %s, got %q", sectionNames(), name)
		}
	}
	b := &bench{options: o, report: &report{out: os.Stdout}}
	fmt.Println(machine())
	if err := b.open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close(ctx)) }()
	for _, s := range sections {
		if !slices.Contains(chosen, s.name) {
			continue
		}
		if err := s.measure(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return b.report.conclude(o.strict)
}
