// Command graph measures questions to the graph against what is demanded of them. The
// graphs are made from fixed seeds, the server is kg serve as a process of its own, and
// the client is on the same machine. Each section measures one kind of question, in a
// file of its own.
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

	"github.com/kappagraph/kappa/internal/pgembed"
)

// section is one kind of question that can be measured.
type section struct {
	name    string
	measure func(*bench, context.Context) error
}

// sections returns what can be measured, in the order of the report.
func sections() []section {
	return []section{
		{"search", (*bench).search},
		{"matching", (*bench).matching},
		{"polarity", (*bench).polarity},
		{"follow", (*bench).follow},
		{"notifications", (*bench).notifications},
		{"hops", (*bench).hops},
		{"paths", (*bench).paths},
		{"evidence", (*bench).evidence},
	}
}

// options are the sizes of the run.
type options struct {
	kg     string
	only   string
	strict bool
	search searchOptions

	matching matchingOptions
	polarity polarityOptions
	walks    walkOptions
	stated   evidenceOptions
}

func main() {
	var o options
	flag.StringVar(&o.kg, "kg", "bin/kg", "the kg program")
	flag.StringVar(&o.only, "only", "", "sections to run, with commas: "+strings.Join(sectionNames(), ","))
	flag.BoolVar(&o.strict, "strict", false, "fail when a demand is missed")
	o.search.flags(flag.CommandLine)
	o.matching.flags(flag.CommandLine)
	o.polarity.flags(flag.CommandLine)
	o.walks.flags(flag.CommandLine)
	o.stated.flags(flag.CommandLine)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func sectionNames() []string {
	var names []string
	for _, s := range sections() {
		names = append(names, s.name)
	}
	return names
}

// bench is one run.
type bench struct {
	options
	report  *report
	dir     string
	cluster *pgembed.Cluster
}

func run(ctx context.Context, o options) (err error) {
	chosen := sectionNames()
	if o.only != "" {
		chosen = strings.Split(o.only, ",")
	}
	for _, name := range chosen {
		if !slices.Contains(sectionNames(), name) {
			return fmt.Errorf("-only must name sections of %s, got %q", strings.Join(sectionNames(), ","), name)
		}
	}
	b := &bench{options: o, report: &report{out: os.Stdout}}
	fmt.Println(machine())
	if err := b.open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close(ctx)) }()
	for _, s := range sections() {
		if !slices.Contains(chosen, s.name) {
			continue
		}
		if err := s.measure(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return b.report.conclude(o.strict)
}

// machine says what the figures depend on: they mean little beside other work.
func machine() string {
	text := fmt.Sprintf("%d processors", runtime.NumCPU())
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		text += ", load " + strings.Fields(string(load))[0] + " at the start"
	}
	return text + "; client, server and private PostgreSQL on one machine, fsync on\n"
}
