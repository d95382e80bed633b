package http

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/kappagraph/kappa"
)

// operated is what operators asked of a backend, in words.
type operated []string

func (b *backend) operate(format string, values ...any) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.operated = append(b.operated, fmt.Sprintf(format, values...))
	return b.err
}

func (b *backend) Status(context.Context) (kappa.SchedulerStatus, error) {
	return kappa.SchedulerStatus{
		Running: true, Config: kappa.SchedulerConfig{CleanupInterval: 3600, ApprovalTimeout: 24, CompletedRetention: 48, FailedRetention: 168},
		Stats: kappa.SchedulerStats{JobsByStatus: kappa.AllStatuses(map[kappa.Status]int{kappa.StatusFailed: 2})},
	}, b.err
}

func (b *backend) Clean(context.Context) (kappa.Cleanup, error) {
	if b.noLeader {
		return kappa.Cleanup{}, &kappa.Error{Code: kappa.CodeUnavailable, Message: "the scheduler is not running: no server leads", RetryAfter: time.Second}
	}
	return kappa.Cleanup{Expired: 1, Jobs: 7}, b.operate("clean")
}

func (b *backend) Schedules(context.Context) ([]kappa.Schedule, error) { return nil, b.err }

func (b *backend) ScheduleRuns(_ context.Context, name string, limit int) ([]kappa.ScheduleRun, error) {
	return nil, b.operate("runs of %s, %d", name, limit)
}

func (b *backend) AddSchedule(_ context.Context, n kappa.NewSchedule) (kappa.Schedule, error) {
	text, _ := json.Marshal(n)
	return n.Schedule(), b.operate("add %s", text)
}

func (b *backend) UpdateSchedule(_ context.Context, name string, u kappa.ScheduleUpdate) (kappa.Schedule, error) {
	text, _ := json.Marshal(u)
	return kappa.Schedule{Name: name}, b.operate("update %s %s", name, text)
}

func (b *backend) RemoveSchedule(_ context.Context, name string) error {
	return b.operate("remove %s", name)
}

func (b *backend) RunSchedule(_ context.Context, name, by string) (kappa.Job, error) {
	return job(kappa.StatusApproved), b.operate("run %s by %s", name, by)
}
