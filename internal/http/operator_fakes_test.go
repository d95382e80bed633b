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

func (b *backend) CancelRunning(ctx context.Context, id string) error {
	j, err := b.Job(ctx, id)
	if err != nil {
		return err
	}
	if j.Status != kappa.StatusProcessing {
		return kappa.NewError(kappa.CodeConflict, "Job not running (status: "+string(j.Status)+"). Use DELETE /jobs/"+id+" for queued jobs.")
	}
	return b.operate("cancel running %s", id)
}

func (b *backend) Reprioritize(ctx context.Context, id string, priority int) (int, int, error) {
	j, err := b.Job(ctx, id)
	if err != nil {
		return 0, 0, err
	}
	if j.Status != kappa.StatusApproved {
		return 0, 0, kappa.NewError(kappa.CodeConflict, "Can only reprioritize approved jobs (status: "+string(j.Status)+")")
	}
	return j.Priority, priority, b.operate("reprioritize %s %d", id, priority)
}

func (b *backend) Purge(ctx context.Context, id string, force bool) error {
	j, err := b.Job(ctx, id)
	if err != nil {
		return err
	}
	if j.Status == kappa.StatusProcessing && !force {
		return kappa.NewError(kappa.CodeConflict, "Cannot delete job in status: processing. Use force=true to override.")
	}
	return b.operate("purge %s force %v", id, force)
}

func (b *backend) BulkDelete(_ context.Context, sel kappa.JobSelection, dryRun bool) (kappa.JobDeletion, error) {
	err := b.operate("delete %+v dry %v", sel, dryRun)
	d := kappa.JobDeletion{Count: 3, Running: 1}
	if dryRun && sel.Type != "none" {
		d.Jobs = []kappa.DeletedJob{{JobID: knownJob, JobType: "noop", Status: kappa.StatusFailed, CreatedAt: job(kappa.StatusFailed).CreatedAt}}
	}
	return d, err
}

func (b *backend) RetryJob(ctx context.Context, r kappa.Retry) (kappa.Job, error) {
	j, err := b.Job(ctx, r.JobID)
	if err != nil {
		return j, err
	}
	if j.Status != kappa.StatusFailed && j.Status != kappa.StatusCancelled {
		return j, kappa.NewError(kappa.CodeConflict, "Can only retry failed or cancelled jobs (status: "+string(j.Status)+")")
	}
	return kappa.Job{ID: "job_00000000000a", Status: kappa.StatusApproved}, b.operate("retry %s by %d%s", r.JobID, r.UserID, r.Key)
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
