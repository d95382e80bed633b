package graph

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/graph/adjacency"
	"github.com/kappagraph/kappa/internal/graph/signatures"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/knowledge/questions"
)

const (
	epochWait  = 100 * time.Millisecond // for memory to reach the epoch of a query
	retryAfter = 5 * time.Second        // of a query that took too long
)

// Config is what a Graph needs.
type Config struct {
	View     Viewer
	Embedder models.Embedder // of the model whose embeddings the graph holds
	// Settings are asked for at each question and must not block; nil are those of
	// a new database.
	Settings func() knowledge.GraphSettings
	// Connections is how many View and its Snapshots can have at once; 0 is any number.
	Connections int
	Log         *slog.Logger  // nil logs nothing
	deadline    time.Duration // of each call as a whole, in tests; 0 = as Settings say
	// Memory returns the graph in memory as of now, nil when it is not ready. A
	// nil function stands for no such graph: the tables are read.
	Memory func() *adjacency.View
	// Await returns when Memory has reached an epoch, or the error of ctx. A nil
	// function does not wait.
	Await func(ctx context.Context, epoch int64) error
	Search
}

// Search is what searches need besides; without it they read the tables.
type Search struct {
	Threshold *Threshold // nil: questions.DefaultSimilarity
	// Index returns what concepts are found in, or nil while it is not ready. It may wait
	// until that has what was stored last.
	Index func(ctx context.Context, model string) *signatures.Index
	// Show reads what is shown of concepts, with up to quotes of each, as of one
	// moment.
	Show func(ctx context.Context, ids []int, quotes int) (questions.ShownConcepts, error)
	// Narrow reads what an ontology alone says of concepts.
	Narrow func(ctx context.Context, ids []int, ontology string, quotes int) (map[int]questions.Narrowed, error)
}

// Graph answers queries. Its methods may be called from many goroutines.
type Graph struct {
	view     Viewer
	embedder models.Embedder
	settings func() knowledge.GraphSettings
	fixed    time.Duration // the deadline, when not that of the settings
	log      *slog.Logger
	limits   limits
	measured *diversities
	surveys  *surveys
	parts    *parts
	now      func() *adjacency.View
	await    func(ctx context.Context, epoch int64) error
	exports  chan struct{} // one for each export that runs
	tables   *tables
	share    share
	search   Search
}

// limits bound what one call reads and returns. They are far above what a
// person reads, and below what would hurt the server.
type limits struct {
	instances     int // quotes of one concept
	relationships int // outgoing relationships of one concept
	related       int // concepts in a neighbourhood
	visited       int // concepts that a search for paths visits
	edges         int // relationships read for one level of a walk
	detour        int // concepts of a level from which paths one hop longer are searched
	drawn         int // relationships of a graph that is drawn
	counted       int // relationships of the concepts of an answer from which on memory counts them
}

func defaultLimits() limits {
	return limits{instances: 200, relationships: 1000, related: 1000, visited: 20_000, edges: 200_000, detour: 500, drawn: 20_000, counted: 1000}
}

// New returns a Graph. It starts nothing.
func New(cfg Config) *Graph {
	if cfg.Settings == nil {
		cfg.Settings = knowledge.DefaultGraphSettings
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Memory == nil {
		cfg.Memory = func() *adjacency.View { return nil }
	}
	if cfg.Await == nil {
		cfg.Await = func(context.Context, int64) error { return nil }
	}
	if cfg.Index == nil || cfg.Show == nil {
		cfg.Index = func(context.Context, string) *signatures.Index { return nil }
	}
	share, tables := newShare(cfg.Connections), newTables(cfg.Settings, cfg.Log)
	tables.share = share
	return &Graph{
		search: cfg.Search, share: share,
		view: cfg.View, embedder: cfg.Embedder, settings: cfg.Settings, fixed: max(0, cfg.deadline), log: cfg.Log, limits: defaultLimits(),
		tables: tables,
		now:    cfg.Memory, await: cfg.Await, measured: newDiversities(cfg.Embedder),
		exports: make(chan struct{}, exportsAtOnce),
		surveys: &surveys{}, parts: &parts{},
	}
}

// Ontologies returns every ontology with what it holds, by name.
func (g *Graph) Ontologies(ctx context.Context) (list []ontologies.Ontology, err error) {
	err = g.read(ctx, "listing the ontologies", func(ctx context.Context, v view) error {
		list, err = v.Ontologies(ctx)
		return err
	})
	return list, err
}

// Stats counts what the graph holds.
func (g *Graph) Stats(ctx context.Context) (stats ontologies.GraphStats, err error) {
	err = g.read(ctx, "counting the graph", func(ctx context.Context, v view) error {
		stats, err = v.GraphStats(ctx)
		return err
	})
	return stats, err
}

// Epoch returns a number that rises with each change of the graph.
func (g *Graph) Epoch(ctx context.Context) (epoch int64, err error) {
	err = g.read(ctx, "reading the graph's epoch", func(ctx context.Context, v view) error {
		epoch, err = v.GraphEpoch(ctx)
		return err
	})
	return epoch, err
}

// deadline is how long a call may take as a whole.
func (g *Graph) deadline() time.Duration {
	if g.fixed > 0 {
		return g.fixed
	}
	return g.settings().Timeout()
}

// read runs ask on the graph as of one moment, within the deadline.
func (g *Graph) read(ctx context.Context, what string, ask func(ctx context.Context, v view) error) error {
	limited, cancel := context.WithTimeout(ctx, g.deadline())
	defer cancel()
	return g.explain(ctx, what, g.ask(limited, ask))
}

// askIn is ask within an ontology; "" stands for all.
func (g *Graph) askIn(ctx context.Context, ontology string, ask func(ctx context.Context, v view) error) error {
	return g.ask(ctx, func(ctx context.Context, v view) error {
		v, err := v.in(ctx, ontology)
		if err != nil {
			return err
		}
		return ask(ctx, v)
	})
}

// ask is read for a context that has the deadline.
func (g *Graph) ask(ctx context.Context, ask func(ctx context.Context, v view) error) error {
	// Memory is taken first, so that the snapshot is at least as new and knows
	// every concept that is found, unless that is gone.
	memory := inMemory{View: g.now()}
	return g.view(ctx, func(s Snapshot) error {
		return ask(ctx, view{Snapshot: s, limits: g.limits, memory: memory, tables: g.tables, measured: g.measured, parts: g.parts})
	})
}

// readIn is readSince for a query within an ontology; "" stands for all.
func (g *Graph) readIn(ctx context.Context, what string, least *int64, ontology string, ask func(ctx context.Context, v view) error) error {
	return g.readSince(ctx, what, least, func(ctx context.Context, v view) error {
		v, err := v.in(ctx, ontology)
		if err != nil {
			return err
		}
		return ask(ctx, v)
	})
}

// readSince is read for a query that asks for an epoch at least, unless least is
// nil.
func (g *Graph) readSince(ctx context.Context, what string, least *int64, ask func(ctx context.Context, v view) error) error {
	limited, cancel := context.WithTimeout(ctx, g.deadline())
	defer cancel()
	return g.explain(ctx, what, g.askSince(limited, least, ask))
}

// askSince is readSince for a context that has the deadline. It waits a moment
// for memory to reach the epoch, and reads the tables when it does not. It
// returns a CodeInvalid Error when they have not reached it either.
func (g *Graph) askSince(ctx context.Context, least *int64, ask func(ctx context.Context, v view) error) error {
	if least == nil {
		return g.ask(ctx, ask)
	}
	if v := g.now(); v != nil && v.Epoch() < *least {
		waiting, stop := context.WithTimeout(ctx, epochWait)
		_ = g.await(waiting, *least) // the tables are there when it fails
		stop()
	}
	return g.ask(ctx, func(ctx context.Context, v view) error {
		v, err := v.since(ctx, *least)
		if err != nil {
			return err
		}
		return ask(ctx, v)
	})
}

// explain makes an error that the deadline caused one that the caller can act
// on. It leaves others as they are, and those of a caller who has left.
func (g *Graph) explain(ctx context.Context, what string, err error) error {
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errNothingRead) || ctx.Err() != nil {
		return err
	}
	g.log.WarnContext(ctx, "query took too long", "query", what, "deadline", g.deadline(), "err", err)
	return &kappa.Error{
		Code:       kappa.CodeUnavailable,
		Message:    fmt.Sprintf("%s took longer than %s; ask for less, or try again later", what, g.deadline()),
		RetryAfter: retryAfter,
		Err:        err,
	}
}
