package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// ActFigures returns how far the act of a job is.
func (s JobStore) ActFigures(ctx context.Context, jobID string) (work.ActFigures, error) {
	figures, _, err := s.actFigures(ctx, s.q(), jobID)
	return figures, err
}

// ActPart acts on the next part of the jobs that an act was asked for, in one transaction with
// their outcomes and the checkpoint that next makes: each job is acted on once, whatever
// happens to the server. It is false when no part is left. It returns ErrStale and
// ErrCancelled as Checkpoint does.
func (s JobStore) ActPart(ctx context.Context, c work.Claim, a work.JobAct, so work.ActFigures, next func(work.ActFigures) work.Checkpoint) (now work.ActFigures, more bool, err error) {
	var outcomes []work.ActOutcome
	var stored saved
	a.UserID = c.UserID
	err = pgx.BeginFunc(ctx, s.jobs, func(tx pgx.Tx) error {
		outcomes, now, more = nil, so, true
		act := newActor(tx, a)
		part, err := act.q.ActionPartNext(ctx, c.JobID)
		if isNoRows(err) {
			more = false
			return nil
		}
		if err != nil {
			return err
		}
		if outcomes, err = act.on(ctx, part.JobIds, part.Denied); err != nil {
			return err
		}
		done, refused := countOutcomes(outcomes)
		now.Done, now.Refused = so.Done+done, so.Refused+refused
		encoded, err := json.Marshal(outcomes)
		if err != nil {
			return fmt.Errorf("encode outcomes: %w", err)
		}
		if err := act.q.ActionPartDone(ctx, db.ActionPartDoneParams{ActionID: c.JobID, Part: part.Part, Outcomes: encoded, Done: int32(done), Refused: int32(refused)}); err != nil {
			return err
		}
		stored, err = checkpoint(ctx, act.q, c, next(now))
		return err
	})
	if err != nil {
		return so, true, translate(err, "act on jobs")
	}
	s.tell(a, outcomes)
	return now, more, s.announce(stored)
}

// ActOutcomes returns a page of what became of the jobs of an act, in the order in which they
// were submitted, and the cursor of the next one; kind selects some, "" all. The cursor may be
// "", and is valid.
func (s JobStore) ActOutcomes(ctx context.Context, jobID string, kind work.OutcomeKind, cursor string, limit int) (page []work.ActOutcome, next string, err error) {
	at, _ := kappa.ParseCursor(kappa.ListOutcomes, cursor, kappa.OutcomeKeys)
	part, from := at.Key(0, 0), int(at.Key(1, 0))
	page = []work.ActOutcome{}
	for {
		parts, err := s.q().ActionParts(ctx, db.ActionPartsParams{
			ActionID: jobID, Part: int32(part), Refused: kind == work.OutcomeRefused, Done: kind == work.OutcomeDone, Open: kind == work.OutcomeOpen,
		})
		if err != nil || len(parts) == 0 {
			return page, "", translate(err, "read what became of jobs")
		}
		if int64(parts[0].Part) > part {
			from = 0
		}
		outcomes, err := partOutcomes(parts[0])
		if err != nil {
			return nil, "", err
		}
		for i := from; i < len(outcomes); i++ {
			if kind != "" && outcomes[i].Outcome != kind {
				continue
			}
			if len(page) == limit {
				return page, kappa.Cursor{List: kappa.ListOutcomes, Keys: []int64{int64(parts[0].Part), int64(i)}, Of: jobID}.String(), nil
			}
			page = append(page, outcomes[i])
		}
		part, from = int64(parts[0].Part)+1, 0
	}
}

// partOutcomes returns the outcomes of a part, which may be open.
func partOutcomes(p db.ActionPartsRow) (outcomes []work.ActOutcome, err error) {
	if p.Outcomes != nil {
		return outcomes, translate(decode(p.Outcomes, &outcomes), "read what became of jobs")
	}
	for _, id := range p.JobIds {
		outcomes = append(outcomes, work.ActOutcome{JobID: id, Outcome: work.OutcomeOpen})
	}
	return outcomes, nil
}
