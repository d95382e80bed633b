package admin

import (
	"context"
	"strings"
	"time"
	"unicode"

	"github.com/kappagraph/kappa"
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
	since, err := time.ParseDuration(in.Since)
	if err != nil || since < time.Minute || since > work.StatsKept {
		return work.AttemptStats{}, kappa.Invalid(kappa.FieldError{In: "query", Name: "since", Rule: "must be a duration from 1m to 24h, such as 5m or 1h"})
	}
	for name, text := range map[string]string{"lane": in.Lane, "job_type": in.JobType} {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return work.AttemptStats{}, kappa.Invalid(kappa.FieldError{In: "query", Name: name, Rule: "must not contain control characters"})
		}
	}
	return a.cfg.Lanes.AttemptStats(ctx, work.StatsFilter{Since: since, Lane: in.Lane, JobType: in.JobType})
}
