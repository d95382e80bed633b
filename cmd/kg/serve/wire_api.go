package serve

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/ingest"
	"github.com/kappagraph/kappa/internal/postgres"
)

// wireAPI builds the HTTP server.
func (s *server) wireAPI(context.Context) (err error) {
	s.api, err = http.New(http.Config{
		Auth: s.accounts, Clients: s.accounts, Access: s.accounts, Tickets: s.accounts,
		Jobs: s.store, Events: s.store, Hub: s.events.hub, Sources: s.events.sources, HubStats: s.events.hub.Stats, Ingest: ingest.NewSubmitter(s.store, s.analyst.Wake), Lanes: s.store,
		Operator: operator{s.store, s.analyst.Wake}, Scheduler: s.cleaner, Schedules: s.schedules,
		Graph: s.graph, Inventory: s.graph, Health: s.store, Figures: s.figures(), Now: s.store.Now, Readiness: s.readiness(),
		Version: s.settings.Version, JobTypes: s.types.Handled(), Log: s.log,
		Limits: http.Limits{MaxDocumentBytes: s.settings.MaxDocument, MaxLaneSlots: s.settings.MaxLaneSlots, Streams: s.settings.Streams, UserStreams: s.settings.UserStreams},
	})
	return err
}

// operator is the store for the operator's routes. A job that is submitted anew
// before it was analysed wakes the analyst.
type operator struct {
	*postgres.Store
	wake func()
}

// RetryJob submits an ended job anew.
func (o operator) RetryJob(ctx context.Context, r kappa.Retry) (kappa.Job, error) {
	job, err := o.Store.RetryJob(ctx, r)
	if err == nil && job.Status == kappa.StatusPending {
		o.wake()
	}
	return job, err
}
