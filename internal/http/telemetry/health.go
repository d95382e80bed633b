package telemetry

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// health says how the database is, and how much waits in it.
type health interface {
	Ping(ctx context.Context) error
	QueueCounts(ctx context.Context) (map[work.Status]int, error)
}

// statusWord is how well something is.
type statusWord string

const (
	healthy  statusWord = "healthy"
	degraded statusWord = "degraded"
)

func wordFor(err error) statusWord {
	if err != nil {
		return degraded
	}
	return healthy
}

type healthReport struct {
	Status     statusWord       `json:"status" doc:"healthy or degraded"`
	Timestamp  *kappa.Time      `json:"timestamp"`
	Version    string           `json:"version"`
	Components healthComponents `json:"components"`
}

type healthComponents struct {
	API      component `json:"api"`
	Database component `json:"database"`
	Storage  component `json:"storage" doc:"Documents are kept in the database"`
	Events   component `json:"events" doc:"How this server hears of changes; degraded costs seconds, and nothing else"`
}

type component struct {
	Status statusWord `json:"status"`
	Error  string     `json:"error,omitempty"`
}

type serviceReport struct {
	Service   string            `json:"service"`
	Version   string            `json:"version"`
	Status    statusWord        `json:"status" doc:"healthy or degraded"`
	Epoch     *int64            `json:"epoch" doc:"Grows with every change of the graph; null without a valid token"`
	Queue     *queueReport      `json:"queue" doc:"Jobs of all users; null without a valid token"`
	Docs      string            `json:"docs" doc:"Path of the OpenAPI document"`
	Endpoints map[string]string `json:"endpoints"`
}

type queueReport struct {
	Type             string `json:"type"`
	Pending          int    `json:"pending"`
	AwaitingApproval int    `json:"awaiting_approval"`
	Approved         int    `json:"approved"`
	Processing       int    `json:"processing"`
}

func (a *API) registerHealth(r *http.Router) {
	ping := &probe[error]{check: a.cfg.Health.Ping}
	http.Register(r, http.Route{Method: "GET", Path: "/health", Permission: access.Public, ID: "health.check", Summary: "How the server is"},
		func(ctx context.Context, _ *struct{}) (healthReport, error) {
			report := reportHealth(ping.result(ctx), a.eventSources())
			report.Version = a.cfg.Version
			if a.cfg.Now != nil {
				report.Timestamp = new(kappa.At(a.cfg.Now()))
			}
			return report, nil
		})

	service := &probe[serviceReport]{check: a.readService}
	http.Register(r, http.Route{Method: "GET", Path: "/", Permission: access.Public, Recognize: true, ID: "health.service", Summary: "What this server is"},
		func(ctx context.Context, _ *struct{}) (serviceReport, error) {
			report := service.result(ctx)
			if http.PrincipalOf(ctx).User.ID == 0 { // a stranger hears nothing of what goes on here
				report.Epoch, report.Queue = nil, nil
			}
			return report, nil
		})
	http.Register(r, http.Route{Method: "GET", Path: "/database/health", Permission: access.AnyUser, ID: "graph.database-health", Summary: "How the database is"}, a.databaseHealth)
}

func reportHealth(err error, sources []work.EventSource) healthReport {
	database, events := component{Status: wordFor(err)}, reportSources(sources)
	if err != nil {
		database.Error = "the database does not answer"
	}
	r := healthReport{Status: healthy, Components: healthComponents{
		API: component{Status: healthy}, Database: database, Storage: database, Events: events,
	}}
	if database.Status == degraded || events.Status == degraded {
		r.Status = degraded
	}
	return r
}

// eventSources returns how this server hears of events.
func (a *API) eventSources() []work.EventSource {
	if a.cfg.Sources == nil {
		return []work.EventSource{}
	}
	return a.cfg.Sources()
}

// reportSources says whether events are heard of at once. One source that has
// failed while another stands in for it is mentioned, and no more.
func reportSources(sources []work.EventSource) component {
	var failed string
	heard := len(sources) == 0
	for _, source := range sources {
		switch {
		case source.Connected:
			heard = heard || source.Active
		case source.Error != "":
			failed = source.Name
		}
	}
	switch {
	case !heard:
		return component{Status: degraded, Error: "notifications are cut off; changes are seen within 5 s"}
	case failed != "":
		return component{Status: healthy, Error: failed + " is cut off; another source stands in for it"}
	}
	return component{Status: healthy}
}

// readService collects what the root shows. What cannot be had is zero, and
// the status says so.
func (a *API) readService(ctx context.Context) serviceReport {
	counts, err := a.cfg.Health.QueueCounts(ctx)
	epoch, epochErr := a.cfg.Graph.Epoch(ctx)
	if err == nil {
		err = epochErr
	}
	return serviceReport{
		Service: "Kappa", Version: a.cfg.Version, Status: wordFor(err), Epoch: &epoch,
		Queue: &queueReport{
			Type: "postgresql", Pending: counts[work.StatusPending], AwaitingApproval: counts[work.StatusAwaitingApproval],
			Approved: counts[work.StatusApproved], Processing: counts[work.StatusProcessing],
		},
		Docs: "/openapi.json",
		Endpoints: map[string]string{
			"health": "/health", "login": "/auth/oauth/clients/personal", "token": "/auth/oauth/token", "ingest": "/ingest",
			"jobs": "/jobs", "search": "/query/search", "ontologies": "/ontology/",
		},
	}
}
