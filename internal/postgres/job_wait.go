package postgres

import (
	"context"

	"github.com/kappagraph/kappa/work"
)

// WaitFacts returns what decides when a job runs, without the ceiling of the lanes. It
// returns a CodeNotFound Error for a job that is gone.
func (s JobStore) WaitFacts(ctx context.Context, job work.Job) (work.WaitFacts, error) {
	f := work.WaitFacts{Job: job}
	row, err := s.q().JobWaitFacts(ctx, work.QuarantineCrashes, work.CrashWindow, job.ID)
	if isNoRows(err) {
		return f, notFound("Job not found: %s", job.ID)
	}
	if err != nil {
		return f, translate(err, "read what job "+job.ID+" waits for")
	}
	f.Now, f.Due, f.Suspect, f.Before, f.Remote = row.Now, row.Due, row.Suspect, row.Before, row.Remote
	f.Servers, f.RunSeconds = int(row.Servers), row.RunSeconds
	switch pause, err := s.q().PauseOfJob(ctx, job.ID); {
	case err == nil:
		f.Pause = new(toPause(pause))
	case !isNoRows(err):
		return f, translate(err, "read what is paused")
	}
	switch limit, err := s.q().LimitOfJob(ctx, job.ID); {
	case err == nil:
		f.Limit = &work.LimitWait{Limit: toLimit(limit.KgApiLimit), Running: int(limit.Running), Full: limit.IsFull, OpensAt: limit.OpensAt, Position: int(limit.Position)}
	case !isNoRows(err):
		return f, translate(err, "read what is limited")
	}
	if f.Remote {
		f.Workers, err = RemoteStore(s).List(ctx)
		return f, err
	}
	lanes, err := s.q().LaneFigures(ctx)
	for _, l := range lanes {
		f.Lanes = append(f.Lanes, work.LaneLoad{Lane: toLane(l.KgApiWorkerLane), Running: int(l.Running)})
	}
	return f, translate(err, "list lanes")
}
