package e2e

import (
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/work"
)

// TestOperatorsSteerJobs goes through what an operator does with single jobs,
// against the wired server.
func TestOperatorsSteerJobs(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	ctx, one := t.Context(), 1
	_, err := s.client.Workers.UpdateLane(ctx, "interactive", work.LaneUpdate{MaxSlots: &one})
	check(t, err)
	submit := func(priority int) string {
		reply, err := s.client.Jobs.Submit(ctx, work.NewJob{
			Type: work.TypeSleep, AutoApprove: true, Priority: priority, Data: []byte(`{"ms":60000,"steps":600}`),
		})
		check(t, err)
		return reply.JobID
	}
	running := submit(0)
	if job := await(t, s.client, running, work.StatusProcessing); job.MaxRetries != work.DefaultMaxRetries {
		t.Errorf("a job that names no retries has %d, want %d", job.MaxRetries, work.DefaultMaxRetries)
	}
	early, late := submit(0), submit(0)
	change, err := s.client.Jobs.Reprioritize(ctx, late, 50)
	check(t, err)
	if change.Old != 0 || change.New != 50 {
		t.Errorf("changed %+v", change)
	}
	refused(t, "stop a waiting job", kappa.CodeConflict)(s.client.Jobs.CancelRunning(ctx, early))
	refused(t, "delete a running job", kappa.CodeConflict)(s.client.Jobs.Delete(ctx, running, false))
	_, err = s.client.Jobs.CancelRunning(ctx, running)
	check(t, err)
	await(t, s.client, running, work.StatusCancelled)
	await(t, s.client, late, work.StatusProcessing) // before the one that is older
	retried, err := s.client.Jobs.Retry(ctx, running)
	check(t, err)
	if retried.JobID == running || retried.Status != work.StatusApproved {
		t.Errorf("the retry is %+v", retried)
	}
	preview, err := s.client.Jobs.PreviewPrune(ctx, client.Prune{Type: work.TypeSleep})
	check(t, err)
	if preview.ToDelete != 3 || len(preview.Jobs) != 3 || preview.Message != "Would delete 3 jobs; skipped 1 job in status processing" {
		t.Errorf("the preview is %+v", preview)
	}
	pruned, err := s.client.Jobs.Prune(ctx, client.Prune{Type: work.TypeSleep})
	check(t, err)
	if pruned.Deleted != 3 {
		t.Errorf("deleted %+v", pruned)
	}
	_, err = s.client.Jobs.Delete(ctx, late, true)
	check(t, err)
	if jobs, err := s.client.Jobs.List(ctx, work.JobFilter{}); err != nil || len(jobs) != 0 {
		t.Errorf("left are %d jobs, %v", len(jobs), err)
	}
	freed, err := s.client.Jobs.Submit(ctx, work.NewJob{Type: work.TypeNoop, AutoApprove: true})
	check(t, err)
	await(t, s.client, freed.JobID, work.StatusCompleted) // the deleted job's slot is free
}

// TestOperatorsSteerTheScheduler cleans up and runs a schedule by hand, against
// the wired server.
func TestOperatorsSteerTheScheduler(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	ctx := t.Context()
	awaitThat(t, "a server leads", func() bool { // some moments after its start
		_, err := s.client.Schedules.CleanUp(ctx)
		return err == nil
	})
	status, err := s.client.Schedules.Status(ctx)
	check(t, err)
	if !status.Running || status.Config.CompletedRetention != 48 || status.Stats.LastCleanup == nil || len(status.Stats.JobsByStatus) != len(work.Statuses()) {
		t.Errorf("the status is %+v", status)
	}
	nightly := work.NewSchedule{Name: "a/b c", JobType: work.TypeNoop, Cron: "30 2 * * *", TimeZone: "Europe/Berlin"}
	added, err := s.client.Schedules.Add(ctx, nightly)
	check(t, err)
	if added.NextRunAt == nil || !added.Enabled {
		t.Errorf("added %+v", added)
	}
	refused(t, "add it twice", kappa.CodeConflict)(s.client.Schedules.Add(ctx, nightly))
	bad := "61 * * * *"
	refused(t, "give it a bad time", kappa.CodeInvalid)(s.client.Schedules.Update(ctx, nightly.Name, work.ScheduleUpdate{Cron: &bad}))
	reply, err := s.client.Schedules.Run(ctx, nightly.Name)
	check(t, err)
	if job := await(t, s.client, reply.JobID, work.StatusCompleted); job.UserID != access.SystemUserID || deref(job.ApprovedBy) != "admin" {
		t.Errorf("its job is %+v", job)
	}
	pruned, err := s.client.Jobs.Prune(ctx, client.Prune{System: true})
	if err != nil || pruned.Deleted != 1 {
		t.Errorf("deleted %+v, %v", pruned, err)
	}
	check(t, s.client.Schedules.Remove(ctx, nightly.Name))
	refused(t, "run what is gone", kappa.CodeNotFound)(s.client.Schedules.Run(ctx, nightly.Name))
}

// refused returns a check that a call was refused with a code.
func refused(t *testing.T, what string, code kappa.Code) func(any, error) {
	t.Helper()
	return func(_ any, err error) {
		t.Helper()
		if kappa.ErrorCode(err) != code {
			t.Errorf("%s: got %v, want %s", what, err, code)
		}
	}
}
