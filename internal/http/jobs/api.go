// Package jobs is the part of the HTTP API that submits, shows, decides on and
// deletes jobs. Every route that touches a job asks access.Principal.PermitRow for its
// owner, who never changes, before it does.
package jobs

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// Config is what an API needs. Every field is required.
type Config struct {
	Jobs     jobs
	Operator operator
	Actor    actor
	Types    *work.JobTypes // that may be submitted
	// MaxLaneSlots is the highest number of slots that a lane uses.
	MaxLaneSlots int
}

// API keeps the jobs.
type API struct{ cfg Config }

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	a.registerJobs(r)
	a.registerOperate(r)
	a.registerActions(r)
	return http.CheckConfig("http/jobs", a.cfg)
}

// permit returns an error unless whoever makes the request has a permission for a
// job; see http.PermittedJob. Who has it for all jobs needs no owner, and the job may
// be unknown.
func (a *API) permit(ctx context.Context, permission access.Permission, id string) error {
	p := http.PrincipalOf(ctx)
	if err := p.PermitSome(permission); err != nil {
		return err
	}
	if p.Reach(permission) == access.ReachAll && kappa.IsJobID(id) {
		return nil
	}
	_, err := http.PermittedJob(ctx, permission, id, a.cfg.Jobs.Job)
	return err
}
