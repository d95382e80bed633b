package serve

import (
	"context"

	"github.com/kappagraph/kappa/internal/postgres"
	projector "github.com/kappagraph/kappa/internal/projection"
	"github.com/kappagraph/kappa/knowledge/projection"
)

// projectionStores are for the jobs that make projections.
type projectionStores struct {
	*projector.Service
	postgres.ProjectionStore
}

// Changelist is that of the service.
func (p projectionStores) Changelist(ctx context.Context, q projection.Query) (current, kept string, err error) {
	return p.Service.Changelist(ctx, q)
}

// projectionOf makes a projection.
func (s *server) projectionOf(ctx context.Context, q projection.Query, report func(stage string, percent int) error) (projection.Projection, error) {
	return s.upkeep.projections.Compute(ctx, q, report)
}
