package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/work"
)

// TestDeadlineEndsAttempts gives a type a deadline while a job of it runs: the attempt ends, says
// why, and is retried after the wait that the type has, from its checkpoint. Given back, the
// deadline ends nothing more.
func TestDeadlineEndsAttempts(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	ctx, n := t.Context(), func(v int) *int { return &v }
	reply, err := s.client.Jobs.Submit(ctx, work.NewJob{Type: work.TypeSleep, AutoApprove: true, Data: []byte(`{"ms":60000,"steps":600}`)})
	check(t, err)
	await(t, s.client, reply.JobID, work.StatusProcessing)
	policy, err := s.client.Workers.SetPolicy(ctx, work.TypeSleep, work.PolicyChange{DeadlineMS: n(1000), BackoffFirstMS: n(3_600_000), BackoffMostMS: n(3_600_000), Jitter: new(0.0)})
	if err != nil || policy.Policy.Deadline() != time.Second || len(policy.Changed) != 4 {
		t.Fatalf("%+v, %v", policy, err)
	}
	job := await(t, s.client, reply.JobID, work.StatusApproved)
	if !strings.Contains(deref(job.Error), "ran longer than the deadline of its job type, 1s") || job.Retries != 1 {
		t.Errorf("the attempt ended as %+v (%s)", job, deref(job.Error))
	}
	if job.RunAt == nil || time.Until(job.RunAt.Time) < 50*time.Minute || time.Until(job.RunAt.Time) > time.Hour {
		t.Errorf("the retry is due at %v, want in an hour", job.RunAt)
	}
	_, err = s.client.Workers.SetPolicy(ctx, work.TypeSleep, work.PolicyChange{Reset: work.PolicySettings()})
	check(t, err)
	short, err := s.client.Jobs.Submit(ctx, work.NewJob{Type: work.TypeSleep, AutoApprove: true, Data: []byte(`{"ms":1600,"steps":4}`)})
	check(t, err)
	await(t, s.client, short.JobID, work.StatusCompleted)
}
