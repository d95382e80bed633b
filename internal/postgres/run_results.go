package postgres

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// AddLog adds lines to the log of an attempt. Lines that are there already stay.
func (s RemoteStore) AddLog(ctx context.Context, run work.RunKey, lines []work.RunLogLine) error {
	p := db.RunLogAddParams{JobID: run.JobID, ClaimToken: run.Token, WorkerID: run.Worker}
	for _, l := range lines {
		p.Lines, p.Levels, p.Sources = append(p.Lines, int32(l.Line)), append(p.Levels, l.Level), append(p.Sources, l.Source)
		p.StepIds, p.WorkerTimes, p.Messages = append(p.StepIds, l.StepID), append(p.WorkerTimes, l.WorkerTime), append(p.Messages, l.Message)
	}
	return translate(s.q().RunLogAdd(ctx, p), "store the log of "+run.JobID)
}

// LastLogLine returns the number of the last line of the log of an attempt; 0 is none.
func (s RemoteStore) LastLogLine(ctx context.Context, run work.RunKey) (int, error) {
	n, err := s.q().RunLogLast(ctx, run.JobID, run.Token)
	return int(n), translate(err, "read the log of "+run.JobID)
}

// Logs returns the log of a job after a line, at most most lines.
func (s RemoteStore) Logs(ctx context.Context, jobID string, afterToken int64, afterLine, most int) ([]work.RunLogLine, error) {
	rows, err := s.q().RunLogs(ctx, db.RunLogsParams{JobID: jobID, AfterToken: afterToken, AfterLine: clamp32(int64(afterLine)), MaxLines: int32(most)})
	if err != nil {
		return nil, translate(err, "read the log of "+jobID)
	}
	lines := make([]work.RunLogLine, len(rows))
	for i, r := range rows {
		lines[i] = work.RunLogLine{
			Token: r.ClaimToken, Line: int(r.Line), Level: r.Level, Source: r.Source, StepID: r.StepID, WorkerTime: r.WorkerTime,
			Message: r.Message, At: kappa.At(r.At),
		}
	}
	return lines, nil
}

// Steps returns the steps of the runs of a job, in the order in which they began.
func (s RemoteStore) Steps(ctx context.Context, jobID string) ([]work.RunStep, error) {
	rows, err := s.q().RunSteps(ctx, jobID)
	if err != nil {
		return nil, translate(err, "read the steps of "+jobID)
	}
	steps := make([]work.RunStep, len(rows))
	for i, r := range rows {
		steps[i] = work.RunStep{
			Token: r.ClaimToken, StepID: r.StepID, PlanJob: r.PlanJob, Reason: r.Reason, ErrorType: r.ErrorType, ErrorMessage: r.ErrorMessage,
			InputDataclipID: r.InputDataclipID, OutputDataclipID: r.OutputDataclipID, StartedAt: kappa.At(r.StartedAt), EndedAt: kappa.AtPtr(r.EndedAt),
		}
	}
	return steps, nil
}

// StartStep stores that a step has begun, while the claim is current. One that is known
// stays as it is.
func (s RemoteStore) StartStep(ctx context.Context, run work.RunKey, step work.RunStep) error {
	_, err := s.q().RunStepStart(ctx, db.RunStepStartParams{
		JobID: run.JobID, ClaimToken: run.Token, WorkerID: run.Worker, StepID: step.StepID, PlanJob: step.PlanJob, InputDataclipID: step.InputDataclipID,
	})
	return translate(err, "store a step of "+run.JobID)
}

// CompleteStep stores that a step has ended, once, while the claim is current. It need
// not have begun.
func (s RemoteStore) CompleteStep(ctx context.Context, run work.RunKey, step work.RunStep) error {
	_, err := s.q().RunStepComplete(ctx, db.RunStepCompleteParams{
		JobID: run.JobID, ClaimToken: run.Token, WorkerID: run.Worker, StepID: step.StepID, PlanJob: step.PlanJob,
		Reason: step.Reason, ErrorType: step.ErrorType, ErrorMessage: step.ErrorMessage, OutputDataclipID: step.OutputDataclipID,
	})
	return translate(err, "store the end of a step of "+run.JobID)
}

// OpenStep returns the step of a part of the plan that has not ended; "" is none.
func (s RemoteStore) OpenStep(ctx context.Context, run work.RunKey, planJob string) (string, error) {
	id, err := s.q().RunStepOpen(ctx, run.JobID, run.Token, planJob)
	if isNoRows(err) {
		return "", nil
	}
	return id, translate(err, "find a step of "+run.JobID)
}

// AddDataclip stores what a step has put out, once, while the claim is current.
func (s RemoteStore) AddDataclip(ctx context.Context, run work.RunKey, id, body string, isJSON bool) error {
	return translate(s.q().RunDataclipAdd(ctx, db.RunDataclipAddParams{
		JobID: run.JobID, ClaimToken: run.Token, WorkerID: run.Worker, DataclipID: id, Body: body, IsJson: isJSON,
	}), "store a dataclip of "+run.JobID)
}

// Dataclip returns what a step of a job has put out. It returns CodeNotFound when there
// is no such thing.
func (s RemoteStore) Dataclip(ctx context.Context, jobID, id string) (string, error) {
	row, err := s.q().RunDataclip(ctx, jobID, id)
	if isNoRows(err) {
		return "", notFound("Dataclip not found: %s", id)
	}
	return row.Body, translate(err, "read a dataclip of "+jobID)
}

// Secret returns a stored secret by its name. It returns CodeNotFound without one.
func (s RemoteStore) Secret(ctx context.Context, name string) ([]byte, error) {
	value, err := s.q().SecretByName(ctx, "credential/"+name)
	if isNoRows(err) {
		return nil, notFound("Secret not found: %s", name)
	}
	return value, translate(err, "read a secret")
}
