package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// GraphStore reads the graph.
type GraphStore struct{ *base }

// Graph returns the store that reads the graph.
func (d *DB) Graph() GraphStore { return GraphStore{&d.base} }

// rollbackTimeout bounds the end of a view whose context has ended.
const rollbackTimeout = 2 * time.Second

// idleInView is for how much longer than its deadline a view may rest before the
// server ends it: then the caller has gone without a word.
const idleInView = 15 * time.Second

// GraphSnapshot is the graph as of one moment, on one connection, for one
// goroutine.
type GraphSnapshot struct {
	q  *db.Queries
	tx pgx.Tx

	store  GraphStore // opens more connections that see the same moment
	shared string     // by which name they see it; "" before the first one
	least  float32    // confidence of a relationship of the weakest type that is read; 0 = any
	floor  float32    // likewise of any type
	way    questions.Heading
}

// View calls read with the graph as of this moment, and returns its error. The
// snapshot is of no use after that.
//
// When ctx has a deadline, PostgreSQL ends each statement by then, so that
// nothing goes on for a caller who has left. A view that its deadline ends
// returns an error that wraps context.DeadlineExceeded.
func (s GraphStore) View(ctx context.Context, read func(s *GraphSnapshot) error) error {
	err := s.view(ctx, read)
	if sqlState(err) == stateQueryCanceled {
		err = errors.Join(err, context.DeadlineExceeded)
	}
	return translate(err, "read the graph")
}

func (s GraphStore) view(ctx context.Context, read func(s *GraphSnapshot) error) error {
	tx, err := s.graph.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer endView(ctx, tx)
	snapshot := &GraphSnapshot{q: db.New(tx), tx: tx, store: s}
	if err := snapshot.begin(ctx); err != nil {
		return err
	}
	return read(snapshot)
}

// endView ends a transaction that has only read: it has nothing to commit, and its
// connection must not stay in it.
func endView(ctx context.Context, tx pgx.Tx) {
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	_ = tx.Rollback(ending)
}

// begin sets the limits of the transaction.
func (s *GraphSnapshot) begin(ctx context.Context) error {
	limit, idle := "0", "0" // none
	if deadline, ok := ctx.Deadline(); ok {
		left := max(time.Millisecond, time.Until(deadline))
		limit, idle = milliseconds(left), milliseconds(left+idleInView)
	}
	return s.q.GraphViewBegin(ctx, limit, idle)
}

// HideWeak leaves weak relationships out of what is read around and between concepts
// from now on; see vocabulary.LeastRelated.
func (s *GraphSnapshot) HideWeak() { s.least = vocabulary.LeastRelated }

// LeastConfidence leaves less certain relationships out of what is read around and between
// concepts from now on.
func (s *GraphSnapshot) LeastConfidence(least float64) { s.floor = float32(least) }

// Heading has relationships followed one way from now on, or both; see questions.RelationshipFilter.
func (s *GraphSnapshot) Heading(d questions.Heading) { s.way = d }

// GraphEpoch returns the number of changes of the graph so far. What was
// computed under another epoch is stale.
func (s *GraphSnapshot) GraphEpoch(ctx context.Context) (int64, error) {
	epoch, err := s.q.GraphEpoch(ctx)
	return epoch, translate(err, "read the graph's epoch")
}

// GraphStats counts what the graph holds, the most frequent relationship type
// first.
func (s *GraphSnapshot) GraphStats(ctx context.Context) (ontologies.GraphStats, error) {
	tally, err := s.tally(ctx)
	if err != nil {
		return ontologies.GraphStats{}, err
	}
	stats := ontologies.GraphStats{
		Nodes:         ontologies.NodeStats{Concepts: tally.concepts, Sources: tally.all.sources, Instances: tally.instances, Documents: tally.all.documents},
		Relationships: ontologies.RelationshipStats{Total: tally.relationships, ByType: []ontologies.TypeCount{}},
	}
	types, err := s.q.TypeIDs(ctx)
	if err != nil {
		return ontologies.GraphStats{}, translate(err, "read the relationship types")
	}
	for _, t := range types {
		if n := tally.types[t.ID]; n > 0 {
			stats.Relationships.ByType = append(stats.Relationships.ByType, ontologies.TypeCount{Type: t.Name, Count: n})
		}
	}
	slices.SortStableFunc(stats.Relationships.ByType, func(a, b ontologies.TypeCount) int { return cmp.Compare(b.Count, a.Count) })
	return stats, nil
}

// Ontologies returns every ontology with what it holds, by name.
func (s *GraphSnapshot) Ontologies(ctx context.Context) ([]ontologies.Ontology, error) {
	rows, err := s.q.OntologyList(ctx)
	if err != nil {
		return nil, translate(err, "list the ontologies")
	}
	list := make([]ontologies.Ontology, len(rows))
	for i, r := range rows {
		list[i] = ontologies.Ontology{
			ID: strconv.Itoa(int(r.ID)), Name: r.Name, SourceCount: int(r.Sources), FileCount: int(r.Files),
			ConceptCount: int(r.Concepts), LifecycleState: r.LifecycleState,
			CreationEpoch: r.CreationEpoch, CreatedBy: r.CreatedBy,
		}
	}
	return list, nil
}
