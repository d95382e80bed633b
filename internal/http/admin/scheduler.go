package admin

import (
	"context"
	"fmt"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// scheduler keeps house, on whichever server leads.
type scheduler interface {
	Status(ctx context.Context) (work.SchedulerStatus, error)
	// Clean runs one pass now; without a leader it returns CodeUnavailable.
	Clean(ctx context.Context) (work.Cleanup, error)
}

func (a *API) registerScheduler(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/scheduler/status", Permission: access.AdminStatus, ID: "scheduler.status", Summary: "Show how the scheduler is set and when it cleans up"},
		func(ctx context.Context, _ *struct{}) (work.SchedulerStatus, error) {
			return a.cfg.Scheduler.Status(ctx)
		})
	http.Register(r, http.Route{Method: "POST", Path: "/admin/scheduler/cleanup", Permission: access.WorkersManage, ID: "scheduler.cleanup", Summary: "Clean up now: expired, stuck and old jobs"}, a.cleanUp)
}

func (a *API) cleanUp(ctx context.Context, _ *struct{}) (api.CleanupReply, error) {
	done, err := a.cfg.Scheduler.Clean(ctx)
	if err != nil {
		return api.CleanupReply{}, err
	}
	return api.CleanupReply{
		Success: true, Message: "Cleanup completed successfully", Cleanup: done,
		Note: fmt.Sprintf("%s expired, %s taken back, %s deleted", http.JobCount(done.Expired), http.JobCount(done.Recovered), http.JobCount(done.Jobs)),
	}, nil
}
