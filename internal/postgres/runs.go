package postgres

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// Confirm confirms reservations. Those that it does not return are over, or another
// worker's.
func (s RemoteStore) Confirm(ctx context.Context, runs []work.RunKey) (map[int64]work.ConfirmedRun, error) {
	tokens, workers, ids := make([]int64, len(runs)), make([]string, len(runs)), make([]string, len(runs))
	for i, r := range runs {
		tokens[i], workers[i], ids[i] = r.Token, r.Worker, r.JobID
	}
	rows, err := db.New(plannedOnce(s.jobs)).RunConfirm(ctx, tokens, workers, ids)
	if err != nil {
		return nil, translate(err, "confirm reservations")
	}
	confirmed := make(map[int64]work.ConfirmedRun, len(rows))
	for _, r := range rows {
		confirmed[r.ClaimToken] = work.ConfirmedRun{JobID: r.JobID, CancelRequested: r.CancelRequested, Waited: r.Now.Sub(r.ApprovedAt)}
	}
	return confirmed, nil
}

// Finish ends attempts, many in one statement, and returns what has become of each, by
// claim token. An attempt that is left out has changed nothing: it is over, another's,
// or its event is not the next one. It returns CodeInvalid, and has stored none of
// them, when a result cannot be stored.
func (s RemoteStore) Finish(ctx context.Context, outcomes []work.RunOutcome) (map[int64]work.RunEnd, error) {
	n := len(outcomes)
	p := db.RunFinishParams{
		JobIds: make([]string, n), Tokens: make([]int64, n), Workers: make([]string, n), Seqs: make([]int64, n), Statuses: make([]string, n),
		Results: make([]string, n), Errors: make([]string, n), DelaysMs: make([]int64, n), Counted: make([]bool, n), Outcomes: make([]string, n),
		Checkpoints: make([]string, n), ReservedOnly: make([]bool, n),
	}
	for i := range outcomes {
		o := &outcomes[i]
		if err := check.Storable("the result", o.Result); err != nil {
			return nil, err
		}
		if err := check.Storable("the checkpoint", o.Checkpoint); err != nil {
			return nil, err
		}
		p.JobIds[i], p.Tokens[i], p.Workers[i], p.Seqs[i] = o.JobID, o.Token, o.Worker, o.Seq
		p.Statuses[i], p.Results[i], p.Errors[i], p.DelaysMs[i] = string(o.Status), string(o.Result), o.Error, o.Delay.Milliseconds()
		p.Counted[i], p.Outcomes[i], p.Checkpoints[i], p.ReservedOnly[i] = o.Counted, o.Outcome, string(o.Checkpoint), o.ReservedOnly
		if o.Outcome == "" {
			p.Outcomes[i] = string(o.Status)
		}
	}
	rows, err := db.New(plannedOnce(s.jobs)).RunFinish(ctx, p)
	if err != nil {
		return nil, translate(err, "end the runs of remote workers")
	}
	ended := make(map[int64]work.RunEnd, len(rows))
	ids := make([]string, len(rows))
	for i, r := range rows {
		ended[r.ClaimToken], ids[i] = work.RunEnd{Status: work.Status(r.Status), Attempt: work.EndedAttempt{
			Lane: work.RemoteLane, JobType: r.JobType, Outcome: work.AttemptOutcome(r.Outcome), Waited: seconds(r.Waited), Ran: seconds(r.Ran),
		}}, r.JobID
	}
	if len(ids) > 0 {
		s.committed(ids...)
	}
	return ended, nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// RunState returns what is known of a claim of a worker of this identity. It returns
// CodeNotFound when there was no such claim.
func (s RemoteStore) RunState(ctx context.Context, identity, jobID string, token int64) (work.RunState, error) {
	row, err := s.q().RunState(ctx, token, jobID, identity)
	if isNoRows(err) {
		return work.RunState{}, notFound("no such run")
	}
	if err != nil {
		return work.RunState{}, translate(err, "read the state of a run")
	}
	state := work.RunState{Seq: row.WorkerSeq, Confirmed: row.Confirmed, Held: row.Held, CancelRequested: row.CancelRequested}
	if row.Outcome != nil {
		state.Outcome = *row.Outcome
	}
	return state, nil
}

// Checkpoint stores a checkpoint of a run as the worker's event of a number, and its
// progress. It returns ErrStale, and has stored nothing, when the claim is not current
// or the event is not the next one.
func (s RemoteStore) Checkpoint(ctx context.Context, run work.RunKey, seq int64, p work.Checkpoint) error {
	var done saved
	err := inTx(ctx, s.jobs, func(q *db.Queries) error {
		n, err := q.RunSeq(ctx, db.RunSeqParams{Seq: seq, ClaimToken: run.Token, JobID: run.JobID, WorkerID: run.Worker})
		if err != nil {
			return err
		}
		if n == 0 {
			return kappa.ErrStale
		}
		done, err = checkpoint(ctx, q, work.Claim{JobID: run.JobID, Token: run.Token, Worker: run.Worker}, p)
		return err
	})
	if err != nil {
		return translate(err, "store a checkpoint of "+run.JobID)
	}
	_ = s.announce(done) // that the job is to stop is said otherwise
	return nil
}

// Progress stores how far a run is. It returns ErrStale when the claim is not current.
func (s RemoteStore) Progress(ctx context.Context, run work.RunKey, p work.Progress) error {
	done, err := checkpoint(ctx, s.q(), work.Claim{JobID: run.JobID, Token: run.Token, Worker: run.Worker}, work.Checkpoint{Progress: p, Emit: true})
	if err != nil {
		return translate(err, "store the progress of "+run.JobID)
	}
	_ = s.announce(done)
	return nil
}

// Late keeps what a worker said of an attempt that is not its own any more.
func (s RemoteStore) Late(ctx context.Context, token int64, reason string) error {
	return translate(s.q().RunLate(ctx, &reason, token), "keep the end of a late run")
}

// Input returns what a run works on. It returns ErrStale when its claim is not
// current.
func (s RemoteStore) Input(ctx context.Context, run work.RunKey) (work.RunInput, error) {
	row, err := s.q().RunInput(ctx, run.JobID, run.Token, run.Worker)
	if isNoRows(err) {
		return work.RunInput{}, kappa.ErrStale
	}
	if err != nil {
		return work.RunInput{}, translate(err, "read the data of "+run.JobID)
	}
	return work.RunInput{Data: row.Data, Checkpoint: row.Checkpoint, Deadline: time.Duration(row.DeadlineMs) * time.Millisecond}, nil
}

// Expire takes back reservations that were not confirmed in time: to the queue, with
// the attempt handed back, or as failed after too many of one job. It returns how many,
// at most most.
func (s RemoteStore) Expire(ctx context.Context, most int) (int, error) {
	rows, err := s.q().RunExpired(ctx, int32(most))
	if err != nil {
		return 0, translate(err, "find expired reservations")
	}
	outcomes := make([]work.RunOutcome, len(rows))
	for i, r := range rows {
		outcomes[i] = work.RunOutcome{
			RunKey: work.RunKey{JobID: r.JobID, Token: r.ClaimToken, Worker: r.WorkerID}, Status: work.StatusApproved,
			Outcome: work.RunExpired, ReservedOnly: true,
		}
		if r.Times+1 >= work.MaxExpired {
			outcomes[i].Status, outcomes[i].Error = work.StatusFailed, "undeliverable: no worker confirmed it, often"
		}
	}
	if len(outcomes) == 0 {
		return 0, nil
	}
	done, err := s.Finish(ctx, outcomes)
	return len(done), err
}

// EndUnheld ends the claims whose jobs were taken by somebody else, and returns how
// many.
func (s RemoteStore) EndUnheld(ctx context.Context) (int, error) {
	n, err := s.q().RunUnheld(ctx)
	return int(n), translate(err, "end the claims that hold nothing")
}

// PurgeClaims forgets the claims that ended long ago.
func (s RemoteStore) PurgeClaims(ctx context.Context) error {
	return translate(s.q().RunPurge(ctx), "purge the claims of remote workers")
}

// Orphans returns jobs that another one made which has ended, at most most.
func (s RemoteStore) Orphans(ctx context.Context, most int) ([]string, error) {
	ids, err := s.q().RunOrphans(ctx, int32(most))
	return ids, translate(err, "find jobs whose parent has ended")
}
