package postgres

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// Checkpoint stores a handler's state and progress under its claim. It returns
// ErrStale when the claim is not current, and ErrCancelled, having stored, when
// the job was asked to stop.
func (s ClaimStore) Checkpoint(ctx context.Context, c work.Claim, p work.Checkpoint) error {
	done, err := checkpoint(ctx, s.q(), c, p)
	if err != nil {
		return translate(err, "store a checkpoint of "+c.JobID)
	}
	return s.announce(done)
}

// Effect records in the ledger that a step of a job is done, together with the
// checkpoint that goes on after it: both or neither, and only while the claim
// is current. A step that is recorded already stays as it is, so that Effect
// may be repeated when its answer was lost. It returns ErrStale when the claim
// is not current, and ErrCancelled, having stored, when the job was asked to
// stop.
func (s ClaimStore) Effect(ctx context.Context, c work.Claim, step string, p work.Checkpoint) error {
	params, err := checkpointParams(c, p)
	if err != nil {
		return err
	}
	row, err := s.q().JobEffect(ctx, db.JobEffectParams{
		JobID: c.JobID, ClaimToken: c.Token, Worker: c.Worker, Step: step, State: p.State, Progress: params.Progress, Emit: params.Emit,
	})
	if isNoRows(err) {
		return kappa.ErrStale
	}
	if err != nil {
		return translate(err, "record an effect of "+c.JobID)
	}
	return s.announce(toSaved(c, db.JobCheckpointRow(row)))
}

// StoredState returns the state of the job's last checkpoint while the claim is
// current, after what another transaction is writing for the job. It returns
// ErrStale when the claim is not current, and ErrCancelled when the job was asked
// to stop.
func (s ClaimStore) StoredState(ctx context.Context, c work.Claim) (json.RawMessage, error) {
	row, err := fenced(ctx, s.q(), c)
	return row.Checkpoint, translate(err, "read the checkpoint of "+c.JobID)
}

// saved is what a checkpoint has stored.
type saved struct {
	cancelled bool        // the job was asked to stop
	event     *work.Event // nil: none was to be written
}

// announce notifies of the event that was committed, and returns the error that the
// handler gets.
func (s *base) announce(done saved) error {
	if done.event != nil {
		s.onCommit([]work.Event{*done.event}, nil)
	}
	if done.cancelled {
		return kappa.ErrCancelled
	}
	return nil
}

// checkpoint is Checkpoint within the caller's transaction.
func checkpoint(ctx context.Context, q *db.Queries, c work.Claim, p work.Checkpoint) (saved, error) {
	params, err := checkpointParams(c, p)
	if err != nil {
		return saved{}, err
	}
	row, err := q.JobCheckpoint(ctx, params)
	if isNoRows(err) {
		return saved{}, kappa.ErrStale
	}
	return toSaved(c, row), err
}

func checkpointParams(c work.Claim, p work.Checkpoint) (db.JobCheckpointParams, error) {
	params := db.JobCheckpointParams{JobID: c.JobID, ClaimToken: c.Token, Worker: c.Worker, State: p.State}
	if err := check.Storable("the state of a checkpoint", p.State); err != nil {
		return params, err
	}
	if p.Emit {
		params.Emit = 1
	}
	var err error
	params.Progress, err = json.Marshal(p.Progress)
	return params, err
}

// toSaved reads what a statement returned, with the event as the history has it.
func toSaved(c work.Claim, row db.JobCheckpointRow) saved {
	done := saved{cancelled: row.CancelRequested}
	if row.At != nil {
		e, _ := work.StoredEvent(work.Event{ // which fails for a change of status alone
			JobID: c.JobID, Seq: row.EventSeq, Kind: work.EventProgress, Payload: row.Payload, At: kappa.At(*row.At),
		})
		done.event = &e
	}
	return done
}
