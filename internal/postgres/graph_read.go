package postgres

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// rollbackTimeout bounds the end of a view whose context has ended.
const rollbackTimeout = 2 * time.Second

// viewKey is the context key of the transaction of a GraphView.
type viewKey struct{}

// GraphView calls read with a context under which every method that reads the
// graph sees it as of the same moment, on one connection. The methods may be
// called without a view too; each then stands for itself.
//
// When ctx has a deadline, PostgreSQL ends each statement by then, so that
// nothing goes on for a caller who has left. A view that its deadline ends
// returns an error that wraps context.DeadlineExceeded.
func (s GraphStore) GraphView(ctx context.Context, read func(ctx context.Context) error) error {
	err := s.graphView(ctx, read)
	if sqlState(err) == stateQueryCanceled {
		err = errors.Join(err, context.DeadlineExceeded)
	}
	return translate(err, "read the graph")
}

func (s GraphStore) graphView(ctx context.Context, read func(ctx context.Context) error) error {
	tx, err := s.graph.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer func() {
		// A view has nothing to commit, and its connection must not stay in
		// the transaction.
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
		defer cancel()
		_ = tx.Rollback(ending)
	}()
	limit := "0" // none
	if deadline, ok := ctx.Deadline(); ok {
		limit = strconv.FormatInt(max(1, time.Until(deadline).Milliseconds()), 10)
	}
	if err := db.New(tx).GraphViewBegin(ctx, limit); err != nil {
		return err
	}
	return read(context.WithValue(ctx, viewKey{}, tx))
}

// view returns the queries of the view that ctx belongs to, or those on the
// pool for the graph.
func (s GraphStore) view(ctx context.Context) *db.Queries {
	if tx, ok := ctx.Value(viewKey{}).(pgx.Tx); ok {
		return db.New(tx)
	}
	return db.New(s.graph)
}

// GraphEpoch returns the number of changes of the graph so far. What was
// computed under another epoch is stale.
func (s GraphStore) GraphEpoch(ctx context.Context) (int64, error) {
	epoch, err := s.view(ctx).GraphEpoch(ctx)
	return epoch, translate(err, "read the graph's epoch")
}

// GraphStats counts what the graph holds, the most frequent relationship type
// first.
func (s GraphStore) GraphStats(ctx context.Context) (kappa.GraphStats, error) {
	nodes, err := s.view(ctx).GraphNodeCounts(ctx)
	if err != nil {
		return kappa.GraphStats{}, translate(err, "count the graph's nodes")
	}
	rows, err := s.view(ctx).GraphTypeCounts(ctx)
	if err != nil {
		return kappa.GraphStats{}, translate(err, "count the relationships")
	}
	stats := kappa.GraphStats{
		Nodes: kappa.NodeStats{
			Concepts: int(nodes.Concepts), Sources: int(nodes.Sources),
			Instances: int(nodes.Instances), Documents: int(nodes.Documents),
		},
		Relationships: kappa.RelationshipStats{ByType: make([]kappa.TypeCount, len(rows))},
	}
	for i, r := range rows {
		stats.Relationships.ByType[i] = kappa.TypeCount{Type: r.Name, Count: int(r.Edges)}
		stats.Relationships.Total += int(r.Edges)
	}
	return stats, nil
}

// Ontologies returns every ontology with what it holds, by name.
func (s GraphStore) Ontologies(ctx context.Context) ([]kappa.Ontology, error) {
	rows, err := s.view(ctx).OntologyList(ctx)
	if err != nil {
		return nil, translate(err, "list the ontologies")
	}
	list := make([]kappa.Ontology, len(rows))
	for i, r := range rows {
		list[i] = kappa.Ontology{
			ID: int(r.ID), Name: r.Name, SourceCount: int(r.Sources), FileCount: int(r.Files),
			ConceptCount: int(r.Concepts), LifecycleState: r.LifecycleState,
			CreationEpoch: r.CreationEpoch, CreatedBy: r.CreatedBy,
		}
	}
	return list, nil
}
