package serve

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/accounts"
	"github.com/kappagraph/kappa/internal/http/admin"
	"github.com/kappagraph/kappa/internal/http/artifacts"
	datasetsapi "github.com/kappagraph/kappa/internal/http/datasets"
	"github.com/kappagraph/kappa/internal/http/graph"
	"github.com/kappagraph/kappa/internal/http/identity"
	"github.com/kappagraph/kappa/internal/http/ingestion"
	"github.com/kappagraph/kappa/internal/http/jobs"
	"github.com/kappagraph/kappa/internal/http/polarity"
	"github.com/kappagraph/kappa/internal/http/streams"
	"github.com/kappagraph/kappa/internal/http/telemetry"
	vocabularyapi "github.com/kappagraph/kappa/internal/http/vocabulary"
	"github.com/kappagraph/kappa/internal/ingest"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/postgres"
)

// wireAPI builds the HTTP server.
func (s *server) wireAPI(ctx context.Context) (err error) {
	if s.connections, err = s.settings.connectionLimit(openFiles()); err != nil {
		return err
	}
	if s.connections < s.settings.Streams {
		s.log.WarnContext(ctx, "fewer connections may be open than event streams; raise the limit of open files, or KG_MAX_CONNECTIONS",
			"connections", s.connections, "streams", s.settings.Streams)
	}
	s.api, err = http.New(s.apiConfig(), s.resources()...)
	return err
}

// apiConfig is what the server of the API needs besides its resources.
func (s *server) apiConfig() http.Config {
	return http.Config{
		Auth: s.accounts, HTTP2: s.settings.HTTP2, Hosts: s.settings.hosts(),
		Version: s.settings.Version, Log: s.log,
		Limits: http.Limits{Connections: s.connections, Reserve: reserveForProbes},
	}
}

// resources are the parts of the API, each with what it needs.
func (s *server) resources() []http.Resource {
	s.streams = streams.New(streams.Config{
		Jobs: s.db.Jobs(), Events: historyStores{s.db.Events(), s.db.Jobs()}, Hub: s.events.hub, Lanes: s.db.Lanes(),
		Access: s.accounts, Tickets: s.accounts, Now: s.db.Now,
		Limits: streams.Limits{Open: s.settings.Streams, OfUser: s.settings.UserStreams}, Log: s.log,
	})
	return []http.Resource{
		telemetry.New(telemetry.Config{
			Health: healthStores{s.db, s.db.Figures()}, Graph: s.graph, Version: s.settings.Version,
			Sources: s.events.sources, HubStats: s.events.hub.Stats, GraphWork: s.graph.Work, Figures: s.figures(), Readiness: s.readiness(), Log: s.log,
		}),
		identity.New(identity.Config{Proof: s.self.Proof}),
		accounts.New(accounts.Config{Clients: s.accounts}),
		ingestion.New(ingestion.Config{
			Documents: ingest.NewSubmitter(s.db.Ingestions(), s.formats, s.analyst.Wake), Limits: ingestion.Limits{DocumentBytes: s.settings.MaxDocument},
		}),
		jobs.New(jobs.Config{Jobs: s.db.Jobs(), Operator: operator{s.db.Jobs(), s.analyst.Wake}, Types: s.types}),
		admin.New(admin.Config{
			Lanes: s.laneStatus(), MaxLaneSlots: s.settings.MaxLaneSlots, Scheduler: s.janitors.cleanup, Schedules: s.schedules, Sources: s.events.sources,
			Graph:         s.graphStatus,
			Threshold:     s.search.threshold,
			GraphSettings: s.db.Graph(),
		}),
		s.streams,
		graph.New(graph.Config{Questions: s.graph, Explorer: s.graph, Inventory: s.graph, Surveyor: s.graph}),
		vocabularyapi.New(vocabularyapi.Config{Vocabulary: s.vocabulary}),
		polarity.New(polarity.Config{Analyst: s.graph, Jobs: s.db.Jobs()}),
		datasetsapi.New(s.datasets.api(s.db.Jobs())),
		artifacts.New(artifacts.Config{Artifacts: s.db.Artifacts(), Files: s.db.Artifacts(), Jobs: s.db.Jobs(), Types: s.types}),
	}
}

func (s *server) laneStatus() laneStatus {
	return laneStatus{s.db.Lanes(), s.orphans, s.settings.MaxLaneSlots}
}

// laneStatus is the store of lanes for the operator's routes, which show what this
// process alone knows besides.
type laneStatus struct {
	postgres.LaneStore
	orphans *lanes.Orphans
	ceiling int // of a lane's slots
}

// LaneUsage returns every lane with how busy it is, by name.
func (l laneStatus) LaneUsage(ctx context.Context) ([]kappa.LaneUsage, error) {
	usage, err := l.LaneStore.LaneUsage(ctx)
	for i, lane := range usage {
		usage[i].SlotsAvailable = max(0, lane.Slots(l.ceiling)-lane.RunningJobs)
	}
	return usage, err
}

// WorkerStatus returns who runs what, and what waits.
func (l laneStatus) WorkerStatus(ctx context.Context) (kappa.WorkerStatus, error) {
	status, err := l.LaneStore.WorkerStatus(ctx)
	status.Orphans = l.orphans.List()
	status.SlotCeiling, status.TotalSlots = l.ceiling, 0
	for _, lane := range status.Lanes {
		slots := min(lane.MaxSlots, l.ceiling)
		if lane.Enabled {
			status.TotalSlots += slots
		}
		if slots < lane.MaxSlots {
			status.OverCeiling = append(status.OverCeiling, lane.Name)
		}
	}
	return status, err
}

// operator is the store of jobs for the operator's routes. A job that is submitted anew
// before it was analysed wakes the analyst.
type operator struct {
	postgres.JobStore
	wake func()
}

// RetryJob submits an ended job anew.
func (o operator) RetryJob(ctx context.Context, r kappa.Retry) (kappa.Job, error) {
	job, err := o.JobStore.RetryJob(ctx, r)
	if err == nil && job.Status == kappa.StatusPending {
		o.wake()
	}
	return job, err
}
