// Package admin is the part of the HTTP API by which operators see and change what
// runs: the lanes, the workers, the cleanup and the scheduled jobs.
package admin

import (
	"context"
	nethttp "net/http"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// Config is what an API needs. Sources, Graph, MaxLaneSlots, Settings and Examine may be left out.
type Config struct {
	Lanes         lanes
	Pauses        pauses
	JobLimits     jobLimits
	Types         *work.JobTypes
	Policies      policies
	MaxLaneSlots  int // ceiling of a lane's max_slots; default work.DefaultMaxLaneSlots
	Scheduler     scheduler
	Schedules     schedules
	Sources       func() []work.EventSource                       // how this server hears of events; nil = not reported
	Graph         func(ctx context.Context) knowledge.GraphStatus // nil = there is none in memory
	Threshold     threshold
	GraphSettings graphSettings
	Database      database
	Inventory     inventory
	Counters      counters
	Checks        checks
	Resources     func() *work.Resources                         // how busy the machine is; nil = not reported
	Reading       func(ctx context.Context) corpus.ReadingStatus // how documents are read; nil = not reported
	Keys          func() Keys
	Settings      func() []api.ServerSetting           // how this server is set; nil = not reported
	Examine       func(*nethttp.Request) []api.Finding // checks it, as who made a request; nil = not done
}

// API shows operators what runs, and changes it.
type API struct{ cfg Config }

// New returns the resource.
func New(cfg Config) *API {
	http.Fill(&cfg.MaxLaneSlots, work.DefaultMaxLaneSlots)
	return &API{cfg: cfg}
}

// Register adds the routes for operators.
func (a *API) Register(r *http.Router) error {
	a.registerLanes(r)
	a.registerPauses(r)
	a.registerLimits(r)
	a.registerJobTypes(r)
	a.registerScheduler(r)
	a.registerSchedules(r)
	a.registerGraph(r)
	a.registerThreshold(r)
	a.registerGraphConfig(r)
	a.registerStatus(r)
	a.registerCounters(r)
	a.registerChecks(r)
	a.registerServer(r)
	return http.CheckConfig("http/admin", a.cfg)
}
