package admin

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

// database says which one this is, and what the graph in it holds.
type database interface {
	Info(ctx context.Context) storage.DatabaseInfo
}

// inventory counts what the graph holds.
type inventory interface {
	Stats(ctx context.Context) (ontologies.GraphStats, error)
}

// systemGlance has the members that clients of another service read of it too: what there
// is a container or a Python environment there, is not here.
type systemGlance struct {
	Docker        containerGlance      `json:"docker" doc:"The database; Kappa has no container of its own"`
	Connection    connectionGlance     `json:"database_connection"`
	Stats         *graphGlance         `json:"database_stats" doc:"null when the database does not answer"`
	Python        pythonGlance         `json:"python_env" doc:"Kappa needs none"`
	Configuration configurationGlance  `json:"configuration"`
	Scheduler     schedulerGlance      `json:"scheduler"`
	Resources     *work.Resources      `json:"resources" doc:"Of the machine of this server; null where it does not say"`
	Reading       corpus.ReadingStatus `json:"reading" doc:"How this server reads documents, and behind which walls"`
	Browser       *string              `json:"neo4j_browser_url" doc:"Always null"`
	Bolt          *string              `json:"bolt_url" doc:"Always null"`
}

type containerGlance struct {
	Running bool    `json:"running"`
	Name    *string `json:"container_name" doc:"Always null"`
	Status  *string `json:"status" doc:"Always null"`
	Ports   *string `json:"ports" doc:"Always null"`
}

type connectionGlance struct {
	Connected bool    `json:"connected"`
	URI       string  `json:"uri" doc:"Without the password"`
	Error     *string `json:"error"`
}

type graphGlance struct {
	Concepts      int `json:"concepts"`
	Sources       int `json:"sources"`
	Instances     int `json:"instances"`
	Relationships int `json:"relationships"`
}

type pythonGlance struct {
	Exists  bool    `json:"venv_exists" doc:"Always true: nothing is missing"`
	Version *string `json:"python_version" doc:"Always null"`
}

type configurationGlance struct {
	Exists    bool `json:"env_exists" doc:"Always true: every setting has a value"`
	Anthropic bool `json:"anthropic_key_configured"`
	OpenAI    bool `json:"openai_key_configured"`
}

type schedulerGlance struct {
	Running bool `json:"running"`
	Active  int  `json:"active_jobs"`
	Pending int  `json:"pending_jobs" doc:"That wait for an analysis, an approval or a slot"`
}

func (a *API) registerStatus(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/status", Permission: access.AdminStatus, ID: "health.admin", Summary: "The database, the graph, the keys and the scheduler at a glance"}, a.status)
	http.Register(r, http.Route{Method: "GET", Path: "/database/info", Permission: access.DatabaseRead, ID: "graph.database-info", Summary: "Which database this is"},
		func(ctx context.Context, _ *struct{}) (storage.DatabaseInfo, error) {
			return a.cfg.Database.Info(ctx), nil
		})
}

// status answers also while the database does not.
func (a *API) status(ctx context.Context, _ *struct{}) (systemGlance, error) {
	info, keys := a.cfg.Database.Info(ctx), a.cfg.Keys()
	out := systemGlance{
		Docker:     containerGlance{Running: info.Connected},
		Connection: connectionGlance{Connected: info.Connected, URI: info.URI, Error: info.Error},
		Python:     pythonGlance{Exists: true},
		Configuration: configurationGlance{
			Exists: true, Anthropic: keys.Anthropic, OpenAI: keys.OpenAI,
		},
	}
	if a.cfg.Resources != nil {
		out.Resources = a.cfg.Resources()
	}
	out.Reading = corpus.ReadingStatus{InForce: []string{}, NotInForce: []string{}}
	if a.cfg.Reading != nil {
		out.Reading = a.cfg.Reading(ctx)
	}
	if !info.Connected {
		return out, nil
	}
	stats, err := a.cfg.Inventory.Stats(ctx)
	if err != nil {
		return out, err
	}
	out.Stats = &graphGlance{
		Concepts: stats.Nodes.Concepts, Sources: stats.Nodes.Sources, Instances: stats.Nodes.Instances, Relationships: stats.Relationships.Total,
	}
	scheduler, err := a.cfg.Scheduler.Status(ctx)
	if err != nil {
		return out, err
	}
	jobs := scheduler.Stats.JobsByStatus
	out.Scheduler = schedulerGlance{
		Running: scheduler.Running, Active: jobs[work.StatusProcessing],
		Pending: jobs[work.StatusPending] + jobs[work.StatusAwaitingApproval] + jobs[work.StatusApproved],
	}
	return out, nil
}

// Keys says for which providers there are keys.
type Keys struct{ Anthropic, OpenAI bool }
