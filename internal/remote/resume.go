package remote

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// resume compares the runs that a worker lists when it joins with those that it holds. What
// it holds and does not list goes back: the answer to its claim was lost.
func (j join) resume(ctx context.Context) ([]wire.RunKept, error) {
	n, listed := j.n, j.said.Runs
	kept := make([]wire.RunKept, 0, len(listed))
	if !n.member.known && len(listed) == 0 {
		return kept, nil
	}
	stored, err := n.srv.cfg.Store.Held(ctx, n.member.WorkerID)
	if err != nil {
		return nil, err
	}
	current := map[string]work.HeldRun{}
	for _, h := range stored {
		current[h.JobID+" "+tokenText(h.Token)] = h
	}
	var runs []work.HeldRun
	for _, l := range listed {
		answer := wire.RunKept{ID: l.ID, State: wire.RunLost}
		h, ok := current[l.ID+" "+l.Token]
		switch {
		case ok:
			answer.State, answer.Acked = wire.RunYours, h.Seq
			if h.CancelRequested {
				answer.State = wire.RunCancel
			}
			if !h.Confirmed {
				if c, err := n.srv.confirm.do(ctx, h.RunKey); err != nil {
					return nil, err
				} else if c == nil {
					answer.State = wire.RunLost
					break
				}
			}
			h.Confirmed = true
			runs = append(runs, h)
			delete(current, l.ID+" "+l.Token)
		default:
			if answer, err = j.ended(ctx, l, answer); err != nil {
				return nil, err
			}
		}
		kept = append(kept, answer)
	}
	for _, h := range current {
		if _, err := n.srv.finish.do(ctx, work.RunOutcome{RunKey: h.RunKey, Status: work.StatusApproved, Outcome: work.RunReturned}); err != nil {
			return nil, err
		}
		n.log.InfoContext(ctx, "a run that the worker does not know goes back", "job", h.JobID)
	}
	n.held.replace(runs)
	return kept, nil
}

// ended says what became of a run that a worker lists and does not hold.
func (j join) ended(ctx context.Context, l wire.HeldRun, answer wire.RunKept) (wire.RunKept, error) {
	n := j.n
	key, ok := n.member.key(l.RunKey)
	if !ok {
		return answer, nil
	}
	state, err := n.srv.cfg.Store.RunState(ctx, n.member.hello.Identity, key.JobID, key.Token)
	switch {
	case kappa.ErrorCode(err) == kappa.CodeNotFound && err != nil:
		return answer, nil //nolint:nilerr // it ended too long ago to be known
	case err != nil:
		return answer, err
	}
	if answer.Acked = state.Seq; state.Outcome != "" && state.Outcome != work.RunFenced {
		answer.State, answer.Outcome = wire.RunEnded, statusOf(state.Outcome)
	}
	return answer, nil
}

// statusOf returns what a job became whose attempt ended so.
func statusOf(outcome string) string {
	switch work.Status(outcome) {
	case work.StatusCompleted, work.StatusFailed, work.StatusCancelled:
		return outcome
	}
	return string(work.StatusApproved)
}
