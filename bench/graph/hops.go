package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/kappagraph/kappa/bench/processor"
	"github.com/kappagraph/kappa/internal/graph"
	"github.com/kappagraph/kappa/internal/graph/adjacency"
	"github.com/kappagraph/kappa/internal/graph/follow"
	"github.com/kappagraph/kappa/internal/graphgen"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// What is demanded of questions that follow relationships.
const (
	hopsMemoryMust  = time.Millisecond
	hopsTablesMust  = 30 * time.Millisecond
	hopsRatioMust   = 60
	pathsMemoryMust = time.Millisecond
	pathsTablesMust = 10 * time.Millisecond
	largeLoadMust   = 60 * time.Second
	edgeBytesMust   = 16
)

// walkOptions are the sizes of hops and paths.
type walkOptions struct {
	hops, paths string // which graph: S, M or L
	rounds      int
}

func (o *walkOptions) flags(set *flag.FlagSet) {
	set.StringVar(&o.hops, "hops-graph", "M", "hops: the graph, S, M or L")
	set.StringVar(&o.paths, "paths-graph", "L", "paths: the graph, S, M or L; L takes minutes to store")
	set.IntVar(&o.rounds, "walk-rounds", 50, "hops, paths: how often each question is asked")
}

// walked is a generated graph that is asked in memory and on tables.
type walked struct {
	inMemory, onTables *graph.Graph
	view               func() *adjacency.View

	dsn    string
	shape  graphgen.Shape
	edges  []graphgen.Edge
	status knowledge.GraphStatus
	stop   func()
}

// walk stores a graph of one of the sizes, and loads it as a server does.
func (b *bench) walk(ctx context.Context, section, size string) (*walked, error) {
	shapes := map[string]graphgen.Shape{"S": graphgen.Small, "M": graphgen.Medium, "L": graphgen.Large}
	shape, known := shapes[size]
	if !known {
		return nil, fmt.Errorf("-%s-graph must be S, M or L, got %q", section, size)
	}
	dsn, err := b.newDatabase(ctx, section)
	if err != nil {
		return nil, err
	}
	w := &walked{dsn: dsn, shape: shape, edges: shape.Make()}
	if err := graphgen.Fill(ctx, dsn, shape.Concepts, w.edges); err != nil {
		return nil, err
	}
	db, err := postgres.Open(ctx, postgres.Config{DSN: dsn})
	if err != nil {
		return nil, err
	}
	f := follow.New(follow.Config{Store: db.Graph(), Limit: 2 << 30, Log: slog.New(slog.DiscardHandler)})
	serving, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { _ = f.Run(serving) })
	w.stop = func() { cancel(); running.Wait(); db.Close() }
	if err := seen(ctx, 10*time.Minute, func() bool { return f.View() != nil }); err != nil {
		w.stop()
		return nil, err
	}
	w.status = f.Figures()
	view := func(ctx context.Context, read func(graph.Snapshot) error) error {
		return db.Graph().View(ctx, func(s *postgres.GraphSnapshot) error { return read(s) })
	}
	w.view = f.View
	w.onTables = graph.New(graph.Config{View: view})
	w.inMemory = graph.New(graph.Config{View: view, Memory: f.View})
	return w, nil
}

// hops measures what is within two and three hops of two poles: only which concepts
// these are, without names.
func (b *bench) hops(ctx context.Context) error {
	w, err := b.walk(ctx, "hops", b.walks.hops)
	if err != nil {
		return err
	}
	defer w.stop()
	degrees := graphgen.Degrees(w.edges, w.shape.Concepts)
	poles := []string{conceptOf(graphgen.WithDegree(degrees, 80)), conceptOf(graphgen.WithDegree(degrees, 70))}
	var rows [][]string
	for hops := 2; hops <= 3; hops++ {
		var memory, tables times
		var found [2][]int
		for range b.walks.rounds {
			for i, on := range []*times{&memory, &tables} {
				on.measure(func() error {
					answer, err := w.inMemory.Within(ctx, questions.WithinQuery{SeedIDs: poles, MaxHops: hops, OnTables: i == 1})
					if err == nil && !answer.Complete {
						err = fmt.Errorf("%w: %s", errIncomplete, answer.Missing)
					}
					found[i] = answer.Numbers
					return err
				})
			}
		}
		if err := errors.Join(append(memory.errs, tables.errs...)...); err != nil {
			return err
		}
		if !slices.Equal(found[0], found[1]) {
			return fmt.Errorf("%d hops: %w", hops, errUnequal)
		}
		ratio := float64(at(tables.list, 0.5)) / float64(at(memory.list, 0.5))
		row := []string{fmt.Sprintf("two poles, %d hops", hops), strconv.Itoa(len(found[0])), ms(at(memory.list, 0.5)), ms(at(tables.list, 0.5)), fmt.Sprintf("%.0f ×", ratio), "", ""}
		if hops == 2 {
			row[5] = fmt.Sprintf("≤ %s, ≤ %s, ≤ %d ×", hopsMemoryMust, hopsTablesMust, hopsRatioMust)
			row[6] = b.report.verdict(at(memory.list, 0.5) <= hopsMemoryMust && at(tables.list, 0.5) <= hopsTablesMust && ratio <= hopsRatioMust)
		}
		rows = append(rows, row)
	}
	b.report.table(w.title("hops"), []string{"what", "found", "in memory, p50", "on tables, p50", "ratio", "must", ""}, rows)
	return b.hopsOverHTTP(ctx, w, poles)
}

// paths measures the shortest paths between concepts at random, and the load.
func (b *bench) paths(ctx context.Context) error {
	w, err := b.walk(ctx, "paths", b.walks.paths)
	if err != nil {
		return err
	}
	defer w.stop()
	random := rand.New(rand.NewPCG(1, 14))
	var ends [][2]int
	for range b.walks.rounds {
		ends = append(ends, [2]int{1 + random.IntN(w.shape.Concepts), 1 + random.IntN(w.shape.Concepts)})
	}
	connect := func(g *graph.Graph) func(from, to int) error {
		return func(from, to int) error {
			_, err := g.Connect(ctx, questions.ConnectQuery{FromID: conceptOf(from), ToID: conceptOf(to), MaxHops: 5})
			return err
		}
	}
	heading := []string{"what", "rounds", "p50", "p95", "worst", "errors", "must", "", "CPU of the search", "of PostgreSQL"}
	var rows [][]string
	for _, q := range []struct {
		name string
		must time.Duration
		ask  func(from, to int) error
	}{
		{"a shortest path, ids, in memory", pathsMemoryMust, func(from, to int) error {
			_, err := w.view().Shortest(ctx, int32(from), int32(to), 5, adjacency.TypeSet{})
			return err
		}},
		{"up to five with names, in memory", 0, connect(w.inMemory)},
		{"up to five with names, on tables", pathsTablesMust, connect(w.onTables)},
	} {
		row, err := b.pathsRow(q.name, q.must, ends, q.ask)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	load := times{list: []time.Duration{time.Duration(w.status.LoadSeconds * float64(time.Second))}}
	rows = append(rows, load.row(b.report, "load, in the background", 0.5, largeLoadMust))
	perEdge := float64(w.status.Bytes) / float64(max(1, w.status.Edges))
	rows = append(rows, []string{"memory of a relationship", "", fmt.Sprintf("%.1f bytes", perEdge), "", "", "", fmt.Sprintf("≤ %d bytes", edgeBytesMust), b.report.verdict(perEdge <= edgeBytesMust || b.walks.paths == "S")}) // of S most is the ids
	b.report.table(w.title("paths"), heading, rows)
	return nil
}

// pathsRow asks for paths between some ends. Without a demand there is no verdict.
func (b *bench) pathsRow(name string, must time.Duration, ends [][2]int, ask func(from, to int) error) ([]string, error) {
	own, err := processor.Of(os.Getpid())
	if err != nil {
		return nil, err
	}
	postgres, err := b.postgresCPU()
	if err != nil {
		return nil, err
	}
	var t times
	for _, e := range ends {
		t.measure(func() error { return ask(e[0], e[1]) })
	}
	ownAfter, err := processor.Of(os.Getpid())
	if err != nil {
		return nil, err
	}
	postgresAfter, err := b.postgresCPU()
	if err != nil {
		return nil, err
	}
	row := []string{name, strconv.Itoa(len(t.list)), ms(at(t.list, 0.5)), ms(at(t.list, 0.95)), ms(at(t.list, 1)), strconv.Itoa(len(t.errs)), "", ""}
	if must > 0 {
		row = t.row(b.report, name, 0.5, must)
	}
	each := func(d time.Duration) string { return ms(d / time.Duration(len(ends))) }
	return append(row, each(ownAfter-own), each(postgresAfter-postgres)), nil
}

func (w *walked) title(what string) string {
	return fmt.Sprintf("%s in a graph of %d concepts and %d relationships", what, w.shape.Concepts, w.shape.Edges)
}

// conceptOf is the id of a generated concept.
func conceptOf(number int) string { return "c_" + strconv.Itoa(number) }

var (
	errIncomplete = errors.New("the answer is not complete")
	errUnequal    = errors.New("memory and tables find different concepts")
)
