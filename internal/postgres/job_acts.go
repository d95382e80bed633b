package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// actor does one act on jobs, within a transaction. What it does to each is what is done to
// one alone, by the same statement.
type actor struct {
	tx  pgx.Tx
	q   *db.Queries
	act work.JobAct
}

func newActor(tx pgx.Tx, a work.JobAct) actor { return actor{tx, db.New(tx), a} }

// changedJobs are the jobs that an act has changed, each with the job that a retry has made of
// it, and why others were refused.
type changedJobs struct {
	done    map[string]string
	refused map[string]error
}

// on acts on jobs, and returns what became of each, in their order. Those that are denied may
// not be acted on by whoever asks for it.
func (a actor) on(ctx context.Context, ids, denied []string) ([]work.ActOutcome, error) {
	states, err := a.states(ctx, ids)
	if err != nil {
		return nil, err
	}
	reasons := map[string]error{}
	var able []string
	for _, id := range ids {
		state, known := states[id]
		switch {
		case !known:
			reasons[id] = notFound("Job not found: %s", id)
		case slices.Contains(denied, id):
			reasons[id] = deniedAct(a.act.Act)
		case a.act.Barred != nil && a.act.Barred(state.JobType) != "":
			reasons[id] = conflict("%s", a.act.Barred(state.JobType))
		default:
			able = append(able, id)
		}
	}
	changed, err := a.change(ctx, able)
	if err != nil {
		return nil, err
	}
	left := slices.DeleteFunc(able, func(id string) bool {
		_, done := changed.done[id]
		return done || changed.refused[id] != nil
	})
	if states, err = a.states(ctx, left); err != nil {
		return nil, err
	}
	for _, id := range left { // changed meanwhile, or in a status that does not allow it
		reasons[id] = notFound("Job not found: %s", id)
		if state, known := states[id]; known {
			reasons[id] = refusal(a.act, state)
		}
	}
	outcomes := make([]work.ActOutcome, len(ids))
	for i, id := range ids {
		outcomes[i] = work.ActOutcome{JobID: id, Outcome: work.OutcomeDone, NewID: changed.done[id]}
		if _, done := changed.done[id]; !done {
			outcomes[i].Outcome, outcomes[i].Reason = work.OutcomeRefused, kappa.ErrorMessage(firstOf(reasons[id], changed.refused[id]))
		}
	}
	return outcomes, nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// deniedAct is why an act is not done to a job that may be seen.
func deniedAct(a work.Act) error {
	return kappa.NewError(kappa.CodeForbidden, "Not authorized to "+string(a)+" this job")
}

func (a actor) states(ctx context.Context, ids []string) (map[string]db.JobStatesRow, error) {
	states := make(map[string]db.JobStatesRow, len(ids))
	if len(ids) == 0 {
		return states, nil
	}
	rows, err := a.q.JobStates(ctx, ids)
	for _, r := range rows {
		states[r.JobID] = r
	}
	return states, err
}

// change does the act to those of the jobs that are in a status that allows it.
func (a actor) change(ctx context.Context, ids []string) (changed changedJobs, err error) {
	changed.done = map[string]string{}
	if len(ids) == 0 {
		return changed, nil
	}
	switch a.act.Act {
	case work.ActApprove:
		var rows []db.JobsApproveRow
		rows, changed.refused, err = approveJobs(ctx, a.q, ids, a.act.By, a.act.Budget)
		collect(changed.done, rows, func(r db.JobsApproveRow) string { return r.JobID })
	case work.ActCancel:
		var rows []db.JobsCancelRow
		rows, err = a.q.JobsCancel(ctx, ids)
		collect(changed.done, rows, func(r db.JobsCancelRow) string { return r.JobID })
	case work.ActDelete:
		var rows []db.JobsPurgeRow
		rows, err = purgeJobs(ctx, a.q, ids, a.act.Force)
		collect(changed.done, rows, func(r db.JobsPurgeRow) string { return r.JobID })
	case work.ActPriority:
		var rows []db.JobsReprioritizeRow
		rows, err = a.q.JobsReprioritize(ctx, ids, int16(*a.act.Priority))
		collect(changed.done, rows, func(r db.JobsReprioritizeRow) string { return r.JobID })
	case work.ActRunNow:
		var rows []db.JobsRunNowRow
		rows, err = a.q.JobsRunNow(ctx, ids, work.QuarantineCrashes, work.CrashWindow)
		collect(changed.done, rows, func(r db.JobsRunNowRow) string { return r.JobID })
	case work.ActMove:
		var rows []db.JobsMoveRow
		rows, err = a.q.JobsMove(ctx, ids, a.act.Queue)
		collect(changed.done, rows, func(r db.JobsMoveRow) string { return r.JobID })
	case work.ActRetry:
		return a.retry(ctx, ids)
	}
	return changed, err
}

func collect[R any](done map[string]string, rows []R, id func(R) string) {
	for _, r := range rows {
		done[id(r)] = ""
	}
}

// retry submits the work of jobs again, one by one: each is undone by itself when another job
// for its document is under way.
func (a actor) retry(ctx context.Context, ids []string) (changed changedJobs, err error) {
	changed = changedJobs{map[string]string{}, map[string]error{}}
	for _, id := range ids {
		p := retryParams(work.Retry{JobID: id, UserID: a.act.UserID, From: a.act.From, Gaps: a.act.Gaps})
		err := withNewID(func() error {
			p.NewID = kappa.NewJobID()
			return pgx.BeginFunc(ctx, a.tx, func(tx pgx.Tx) error { return retryJob(ctx, db.New(tx), p) })
		})
		switch {
		case err == nil:
			changed.done[id] = p.NewID
		case violates(err, documentJobConstraint):
			changed.refused[id] = documentUnderWay(id)
		case !isNoRows(err):
			return changed, err
		}
	}
	return changed, nil
}

// tell notifies of what an act has done, after its commit.
func (s *base) tell(a work.JobAct, outcomes []work.ActOutcome) {
	var ids []string
	for _, o := range outcomes {
		switch {
		case o.Outcome != work.OutcomeDone:
		case o.NewID != "":
			ids = append(ids, o.NewID)
		default:
			ids = append(ids, o.JobID)
		}
	}
	if len(ids) == 0 || !slices.Contains([]work.Act{work.ActApprove, work.ActCancel, work.ActRetry, work.ActDelete}, a.Act) {
		return
	}
	s.committed(ids...)
	if a.Act == work.ActDelete {
		s.deleted(ids...)
	}
}
