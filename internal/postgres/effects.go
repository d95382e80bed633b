package postgres

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// Effect records in the ledger that a step of a job is done, together with the
// checkpoint that goes on after it: both or neither, and only while the claim
// is current. A step that is recorded already stays as it is, so that Effect
// may be repeated when its answer was lost. It returns ErrStale when the claim
// is not current, and ErrCancelled, having stored, when the job was asked to
// stop.
func (s ClaimStore) Effect(ctx context.Context, c kappa.Claim, step string, p kappa.Checkpoint) error {
	if err := kappa.CheckStorable("the state of a checkpoint", p.State); err != nil {
		return err
	}
	progress, err := json.Marshal(p.Progress)
	if err != nil {
		return err
	}
	params := db.JobEffectParams{
		JobID: c.JobID, ClaimToken: c.Token, Worker: c.Worker, Step: step, State: p.State, Progress: progress,
	}
	if p.Emit {
		params.Emit = 1
	}
	row, err := s.q().JobEffect(ctx, params)
	switch {
	case isNoRows(err):
		return kappa.ErrStale
	case err != nil:
		return translate(err, "record an effect of "+c.JobID)
	}
	if p.Emit {
		s.committed(c.JobID)
	}
	if row.CancelRequested {
		return kappa.ErrCancelled
	}
	return nil
}
