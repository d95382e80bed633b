package dataset

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/dataset/files"
	"github.com/kappagraph/kappa/internal/dataset/frame"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// sweepEvery is how long tables may stay on the disk that nobody asks for and that the graph
// has left behind: what was taken out of it shall not stay readable.
const sweepEvery = time.Minute

// graphSource writes the tables of the graph; see graph.Graph.
type graphSource interface {
	// TablesMark says what Tables would be of now.
	TablesMark(ctx context.Context, ontologies []string, least *int64) (questions.TablesMark, error)
	// Tables writes each table to what create returns for it, one after another.
	Tables(ctx context.Context, ontologies []string, create func(t questions.GraphTable) (io.Writer, error)) (questions.TablesMark, error)
}

// graphTables keeps the tables of the graph as files, each set of them for as long as the
// graph does not change. A set is of some ontologies, or of all.
type graphTables struct {
	source graphSource
	files  *files.Files
	log    *slog.Logger
	turn   chan struct{} // one set is written at a time

	running sync.WaitGroup
	mu      sync.Mutex
	sets    map[string]questions.TablesMark // by scope, of those that were kept last
	builds  map[buildKey]*build
}

func newGraphTables(source graphSource, in *files.Files, log *slog.Logger) *graphTables {
	return &graphTables{source: source, files: in, log: log, turn: make(chan struct{}, 1), sets: map[string]questions.TablesMark{}, builds: map[buildKey]*build{}}
}

// Run drops what the graph has left behind, until ctx ends. Then it ends what is being
// written, and returns when nothing is.
func (g *graphTables) Run(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			g.sweep(ctx)
		case <-ctx.Done():
			g.mu.Lock()
			for _, b := range g.builds {
				b.cancel(context.Cause(ctx))
			}
			g.mu.Unlock()
			g.running.Wait()
			return
		}
	}
}

// sweep is one round of Run.
func (g *graphTables) sweep(ctx context.Context) {
	g.mu.Lock()
	kept := len(g.sets)
	g.mu.Unlock()
	if kept == 0 {
		return
	}
	now, err := g.source.TablesMark(ctx, nil, nil)
	if err != nil {
		if ctx.Err() == nil {
			g.log.WarnContext(ctx, "old tables of the graph could not be looked for", "err", err)
		}
		return
	}
	g.dropStale(now)
}

// open returns the tables of some ontologies, or for none of all, as the graph is now. Who
// asks for the same meanwhile shares them. The caller closes them.
func (g *graphTables) open(ctx context.Context, ontologies []string, least *int64) (*tableSet, error) {
	asked, err := g.source.TablesMark(ctx, ontologies, least)
	if err != nil {
		return nil, err
	}
	g.dropStale(asked)
	scope := strings.Join(ontologies, "\x00")
	if set := g.find(scope, asked); set != nil {
		return set, nil
	}
	return g.write(ctx, scope, ontologies, asked)
}

// covers reports whether tables of a are as new as what was asked for.
func covers(a, asked questions.TablesMark) bool {
	return a.Epoch > asked.Epoch || a.Epoch == asked.Epoch && a.Names == asked.Names
}

// find returns the tables that are kept of a scope when they are new enough and all there;
// nil otherwise.
func (g *graphTables) find(scope string, asked questions.TablesMark) *tableSet {
	g.mu.Lock()
	defer g.mu.Unlock()
	mark, ok := g.sets[scope]
	if !ok || !covers(mark, asked) {
		return nil
	}
	set := &tableSet{mark: mark}
	for _, t := range questions.GraphTables() {
		file := g.files.Made(fileName(scope, mark, t))
		if file == nil { // the quota needed its room
			set.Close()
			g.dropLocked(scope)
			return nil
		}
		set.add(t, file)
	}
	return set
}

// keep remembers a set that was written, and drops the one before.
func (g *graphTables) keep(scope string, mark questions.TablesMark) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if before, ok := g.sets[scope]; ok && (before.Epoch != mark.Epoch || before.Names != mark.Names) {
		g.dropLocked(scope)
	}
	g.sets[scope] = mark
}

// dropStale drops every set that is older than now.
func (g *graphTables) dropStale(now questions.TablesMark) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for scope, mark := range g.sets {
		if !covers(mark, now) {
			g.dropLocked(scope)
		}
	}
}

func (g *graphTables) dropLocked(scope string) {
	for _, t := range questions.GraphTables() {
		g.files.Drop(fileName(scope, g.sets[scope], t))
	}
	delete(g.sets, scope)
}

// fileName is the name under which a table is kept.
func fileName(scope string, mark questions.TablesMark, t questions.GraphTable) string {
	return fmt.Sprintf("%s %d %s %s", t, mark.Epoch, mark.Names, scope)
}

// tableSet are the tables of the graph, in use until Close.
type tableSet struct {
	mark   questions.TablesMark
	tables []frame.Table
	files  []*files.File
}

func (s *tableSet) add(t questions.GraphTable, f *files.File) {
	s.tables = append(s.tables, frame.Table{Name: string(t), Path: f.Path})
	s.files = append(s.files, f)
}

// again returns the same tables for one more, who closes them too.
func (s *tableSet) again() *tableSet {
	more := &tableSet{mark: s.mark, tables: s.tables}
	for _, f := range s.files {
		more.files = append(more.files, f.Again())
	}
	return more
}

// Close says that they are no longer used.
func (s *tableSet) Close() {
	for _, f := range s.files {
		f.Close()
	}
	s.files = nil
}

// tooLong is the failure of tables that were not written in time.
func tooLong(within time.Duration) error {
	return &datasets.Error{
		Type:    datasets.ErrTimeout,
		Message: fmt.Sprintf("the tables of the graph could not be written within the %s that a question may take; ask within an ontology, or have KG_DATASET_SECONDS raised", within),
	}
}
