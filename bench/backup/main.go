// Command backup measures an archive of the graph both ways: how many bytes a second a
// server writes and restores, and how much memory that takes. The graph is made from a
// fixed seed, in a private PostgreSQL; the server is kg serve as a process of its own, and
// the client is on the same machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/kappagraph/kappa/bench/serving"
	"github.com/kappagraph/kappa/internal/graphgen"
)

// The demands.
const (
	mustRate   = 20  // MB of JSON lines a second, each way, at least
	mustMemory = 200 // MB of resident memory of the server, at most
)

const million = 1e6 // bytes in a MB

type options struct {
	kg              string
	data            string // of PostgreSQL
	concepts, edges int
	strict          bool
}

func main() {
	var o options
	flag.StringVar(&o.kg, "kg", "bin/kg", "the kg program")
	flag.IntVar(&o.concepts, "concepts", 100_000, "concepts in the graph, 10 or more")
	flag.IntVar(&o.edges, "edges", 1_000_000, "edges in the graph")
	short := flag.Bool("short", false, "a graph of a tenth of that size")
	flag.BoolVar(&o.strict, "strict", false, "fail when a demand is missed")
	flag.Parse()
	if *short {
		o.concepts, o.edges = o.concepts/10, o.edges/10
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	if o.concepts < 10 || o.edges < 1 || o.edges > 20*o.concepts {
		return fmt.Errorf("-concepts must be at least 10, and -edges 1 to 20 times as many, got %d and %d", o.concepts, o.edges)
	}
	cluster, err := serving.StartCluster(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Close(ctx)) }()
	o.data = filepath.Join(cluster.Dir, "postgres", "data")
	from, err := newDatabase(ctx, cluster.Cluster, "original")
	if err != nil {
		return err
	}
	shape := graphgen.Shape{Concepts: o.concepts, Edges: o.edges, Types: 20, Seed: 1}
	if err := fill(ctx, from, shape); err != nil {
		return err
	}
	to, err := newDatabase(ctx, cluster.Cluster, "restored")
	if err != nil {
		return err
	}
	fmt.Println(machine())
	archive := filepath.Join(cluster.Dir, "graph.jsonl.zst")
	written, err := measureBackup(ctx, o, from, archive)
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	restored, err := measureRestore(ctx, o, to, archive)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	lines, err := uncompressed(archive)
	if err != nil {
		return err
	}
	fmt.Printf("backup of %d concepts with embeddings and %d edges: %.1f MB of JSON lines, %.1f MB compressed\n\n", o.concepts, o.edges, float64(lines)/million, float64(written.bytes)/million)
	return report([]way{{"backup", written}, {"restore", restored}}, lines, o.strict)
}

// machine says what the figures depend on: they mean little beside other work.
func machine() string {
	text := fmt.Sprintf("%d processors", runtime.NumCPU())
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		text += ", load " + strings.Fields(string(load))[0] + " at the start"
	}
	return text + "; client, server and private PostgreSQL on one machine, fsync on"
}
