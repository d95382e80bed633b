package postgres

import (
	"context"
	"slices"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// eventsOfAnAttempt is how many events of an attempt are read: its claim, its end, and its
// progress before a warning and at the end.
const eventsOfAnAttempt = 4

// Attempts returns what happened to a job so far: its last work.MaxAttempts attempts, and
// what it used of models. An unknown job has none.
func (s JobStore) Attempts(ctx context.Context, job work.Job) (work.JobAttempts, error) {
	found := work.JobAttempts{JobID: job.ID, Status: job.Status, Attempts: []work.Attempt{}, Usage: []work.ModelUsage{}}
	rows, err := s.q().JobTurns(ctx, job.ID, eventsOfAnAttempt*work.MaxAttempts)
	if err != nil {
		return found, translate(err, "read the attempts of job "+job.ID)
	}
	slices.Reverse(rows)
	events, claims := make([]work.Event, len(rows)), 0
	for i, r := range rows {
		claims = int(r.Claims)
		if events[i], err = toEvent(db.KgApiJobHistory{JobID: r.JobID, Seq: r.Seq, Kind: r.Kind, Payload: r.Payload, At: r.At}); err != nil {
			return found, err
		}
	}
	attempts, err := work.AttemptsOf(events)
	if err != nil {
		return found, err
	}
	found.Attempts = append(found.Attempts, attempts[max(0, len(attempts)-work.MaxAttempts):]...)
	found.Earlier = claims - len(found.Attempts)
	for i := range found.Attempts {
		found.Attempts[i].Number = found.Earlier + i + 1
	}
	if last := len(found.Attempts) - 1; last >= 0 {
		found.Attempts[last].Lane = job.Lane
	}
	if err := s.attemptWorkers(ctx, found.Attempts); err != nil {
		return found, err
	}
	return found, s.modelUsage(ctx, &found)
}

// attemptWorkers adds who the workers of attempts are.
func (s JobStore) attemptWorkers(ctx context.Context, attempts []work.Attempt) error {
	var ids []string
	for _, a := range attempts {
		if a.Worker.ID != "" {
			ids = append(ids, a.Worker.ID)
		}
	}
	rows, err := s.q().AttemptWorkers(ctx, ids)
	for _, r := range rows {
		for i := range attempts {
			if attempts[i].Worker.ID == r.WorkerID {
				attempts[i].Worker = work.AttemptWorker{ID: r.WorkerID, Kind: r.Kind, Hostname: r.Hostname, Name: r.Name, PID: int(r.Pid), Version: r.Version}
			}
		}
	}
	return translate(err, "read who has worked on a job")
}

// modelUsage adds what a job has used of models, and its calls now.
func (s JobStore) modelUsage(ctx context.Context, found *work.JobAttempts) error {
	rows, err := s.q().ModelUsageOf(ctx, found.JobID)
	if err != nil {
		return translate(err, "read what a job has used of models")
	}
	for _, r := range rows {
		found.Usage = append(found.Usage, work.ModelUsage{
			Model: r.Model, Purpose: r.Purpose, Calls: int(r.Calls), FailedCalls: int(r.FailedCalls), InputTokens: r.InputTokens, OutputTokens: r.OutputTokens,
			USD: r.CostUsd, Seconds: r.Seconds,
		})
	}
	calls, err := s.q().JobCalls(ctx, found.JobID)
	found.CallsRunning, found.CallsWaiting = int(calls.Running), int(calls.Waiting)
	return translate(err, "count the calls to models for a job")
}
