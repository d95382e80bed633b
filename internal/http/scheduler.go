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

func (s *Server) registerScheduler() {
	register(s, route{method: "GET", path: "/admin/scheduler/status", permission: adminStatus, id: "scheduler.status", summary: "Show how the scheduler is set and when it cleans up"},
		func(ctx context.Context, _ *struct{}) (kappa.SchedulerStatus, error) {
			return s.cfg.Scheduler.Status(ctx)
		})
	register(s, route{method: "POST", path: "/admin/scheduler/cleanup", permission: workersManage, id: "scheduler.cleanup", summary: "Clean up now: expired, stuck and old jobs"}, s.cleanUp)
	s.registerSchedules()
}

func (s *Server) cleanUp(ctx context.Context, _ *struct{}) (cleanupAnswer, error) {
	done, err := s.cfg.Scheduler.Clean(ctx)
	if err != nil {
		return cleanupAnswer{}, err
	}
	return cleanupAnswer{
		Success: true, Message: "Cleanup completed successfully", Cleanup: done,
		Note: fmt.Sprintf("%s expired, %s taken back, %s deleted", jobCount(done.Expired), jobCount(done.Recovered), jobCount(done.Jobs)),
	}, nil
}
