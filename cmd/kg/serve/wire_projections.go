package serve

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/projection"
)

// projectionStores are for the jobs that make projections.
type projectionStores struct {
	*projection.Service
	postgres.ProjectionStore
}

// Changelist is that of the service.
func (p projectionStores) Changelist(ctx context.Context, q kappa.ProjectionQuery) (current, kept string, err error) {
	return p.Service.Changelist(ctx, q)
}

// projectionOf makes a projection.
func (s *server) projectionOf(ctx context.Context, q kappa.ProjectionQuery, report func(stage string, percent int) error) (kappa.Projection, error) {
	return s.projections.Compute(ctx, q, report)
}
