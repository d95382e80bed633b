package serve

import (
	"context"

	"github.com/kappagraph/kappa/internal/graph"
	"github.com/kappagraph/kappa/internal/postgres"
)

// The stores that some parts need together.
type (
	// accountStores are for accounts.
	accountStores struct {
		postgres.AccountStore
		postgres.ClientStore
		postgres.TokenStore
		postgres.RoleStore
	}
	// workerStores are for the worker: its lease, and the ends of its jobs.
	workerStores struct {
		postgres.ClaimStore
		postgres.WorkerStore
	}
	// laneStores are for the lanes: their settings, and their jobs.
	laneStores struct {
		postgres.ClaimStore
		postgres.LaneStore
	}
	// ingestionStores are for the handler of ingestions: the document, the graph, and
	// the claim.
	ingestionStores struct {
		postgres.ClaimStore
		postgres.DocumentStore
		postgres.IngestionStore
	}
	// conditionStores are for the conditions of schedules.
	conditionStores struct {
		postgres.FigureStore
		postgres.JobStore
	}
	// cleanupStores are for the cleanup.
	cleanupStores struct {
		postgres.FigureStore
		postgres.RetentionStore
	}
	// historyStores are for streams.
	historyStores struct {
		postgres.EventStore
		postgres.JobStore
	}
	// healthStores are for those who ask how the database is.
	healthStores struct {
		*postgres.DB
		postgres.FigureStore
	}
)

// viewer shows the graph in its own words.
func viewer(store postgres.GraphStore) graph.Viewer {
	return func(ctx context.Context, read func(s graph.Snapshot) error) error {
		return store.View(ctx, func(s *postgres.GraphSnapshot) error { return read(s) })
	}
}
