package e2e

import (
	"slices"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// TestLanesAreMadeWithoutRestart makes a lane for a type whose jobs wait in a disabled lane: they
// run there at once. Deleted, it claims no more, and its running job goes on.
func TestLanesAreMadeWithoutRestart(t *testing.T) {
	t.Parallel()
	s := startServer(t, map[string]string{"KG_TEST_LEASE_SECONDS": "60"})
	ctx, workers := t.Context(), s.client.Workers
	off := false
	_, err := workers.UpdateLane(ctx, "interactive", work.LaneUpdate{Enabled: &off})
	check(t, err)
	submit := func(jobType, data string) string {
		reply, err := s.client.Jobs.Submit(ctx, work.NewJob{Type: jobType, AutoApprove: true, Data: []byte(data)})
		check(t, err)
		return reply.JobID
	}
	running := submit(work.TypeSleep, `{"ms":60000,"steps":600}`)
	_, err = workers.CreateLane(ctx, work.NewLane{Name: "own", JobTypes: []string{work.TypeSleep}, Settings: work.LaneUpdate{PollIntervalMS: new(work.MaxPollIntervalMS)}})
	check(t, err)
	await(t, s.client, running, work.StatusProcessing)

	waits := submit(work.TypeNoop, `{}`)
	moved, err := workers.MoveTypes(ctx, "own", []string{work.TypeNoop})
	if err != nil || !slices.Equal(moved.Moved[work.TypeNoop], []string{"interactive"}) {
		t.Fatalf("moved %+v, %v", moved, err)
	}
	if _, err := workers.DeleteLane(ctx, "own", ""); kappa.ErrorCode(err) != kappa.CodeConflict {
		t.Errorf("deleting a lane for which a job waits: %v", err)
	}
	if _, err := workers.DeleteLane(ctx, "interactive", ""); kappa.ErrorCode(err) != kappa.CodeConflict {
		t.Errorf("deleting a lane that is built in: %v", err)
	}
	_, err = workers.DeleteLane(ctx, "own", "system")
	check(t, err)
	await(t, s.client, waits, work.StatusCompleted)
	if job := await(t, s.client, running, work.StatusProcessing); deref(job.Lane) != "own" {
		t.Errorf("the running job is in the lane %s, want the deleted one", deref(job.Lane))
	}
	_, err = s.client.Jobs.Cancel(ctx, running)
	check(t, err)
	await(t, s.client, running, work.StatusCancelled)
}
