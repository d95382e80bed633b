package http

import (
	"context"
	"fmt"

	"github.com/kappagraph/kappa"
)

// scheduler keeps house, on whichever server leads.
type scheduler interface {
	Status(ctx context.Context) (kappa.SchedulerStatus, error)
	// Clean runs one pass now; without a leader it returns CodeUnavailable.
	Clean(ctx context.Context) (kappa.Cleanup, error)
}

type cleanupAnswer struct {
	Success bool   `json:"success" doc:"Always true"`
	Message string `json:"message"`
	Note    string `json:"note" doc:"What was done, in words"`
	kappa.Cleanup
}

func (s *Server) registerScheduler(r *Router) {
	Register(r, Route{Method: "GET", Path: "/admin/scheduler/status", Permission: kappa.AdminStatus, ID: "scheduler.status", Summary: "Show how the scheduler is set and when it cleans up"},
		func(ctx context.Context, _ *struct{}) (kappa.SchedulerStatus, error) {
			return s.cfg.Scheduler.Status(ctx)
		})
	Register(r, Route{Method: "POST", Path: "/admin/scheduler/cleanup", Permission: kappa.WorkersManage, ID: "scheduler.cleanup", Summary: "Clean up now: expired, stuck and old jobs"}, s.cleanUp)
	s.registerSchedules(r)
}

func (s *Server) cleanUp(ctx context.Context, _ *struct{}) (cleanupAnswer, error) {
	done, err := s.cfg.Scheduler.Clean(ctx)
	if err != nil {
		return cleanupAnswer{}, err
	}
	return cleanupAnswer{
		Success: true, Message: "Cleanup completed successfully", Cleanup: done,
		Note: fmt.Sprintf("%s expired, %s taken back, %s deleted", JobCount(done.Expired), JobCount(done.Recovered), JobCount(done.Jobs)),
	}, nil
}
