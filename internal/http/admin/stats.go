package admin

import (
	"context"
	"time"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

type statsInput struct {
	Since   string `query:"since" default:"1h" doc:"Of attempts that have ended since then: 5m, 1h or any other duration from 1m to 24h"`
	Lane    string `query:"lane" doc:"Only those of this lane"`
	JobType string `query:"job_type" doc:"Only those at jobs of this type"`
}

func (a *API) registerStats(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/workers/stats", Permission: access.WorkersView, ID: "workers.stats", Summary: "How long attempts waited and ran"}, a.stats)
}

func (a *API) stats(ctx context.Context, in *statsInput) (work.AttemptStats, error) {
	since, _ := time.ParseDuration(in.Since) // what is none is 0, which is too short
	f := work.StatsFilter{Since: since, Lane: in.Lane, JobType: in.JobType}
	if err := f.Validate(); err != nil {
		return work.AttemptStats{}, err
	}
	return a.cfg.Lanes.AttemptStats(ctx, f)
}
