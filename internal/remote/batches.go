package remote

import (
	"context"

	"github.com/kappagraph/kappa/work"
)

// extended is what a heartbeat finds.
type extended struct {
	work.RemoteExtended
	live bool
}

// waitAll reads once for all who ask what waits.
func (s *Server) waitAll(ctx context.Context, list []struct{}) ([]map[work.WaitingPair]bool, error) {
	pairs, err := s.cfg.Store.Marks(ctx)
	if err != nil {
		return nil, err
	}
	waits := make(map[work.WaitingPair]bool, len(pairs))
	for _, p := range pairs {
		waits[p] = true
	}
	outs := make([]map[work.WaitingPair]bool, len(list))
	for i := range outs {
		outs[i] = waits
	}
	return outs, nil
}

// extendAll is the heartbeat of all these workers, in one statement.
func (s *Server) extendAll(ctx context.Context, list []work.RemoteConnection) ([]extended, error) {
	live, err := s.cfg.Store.Extend(ctx, list)
	if err != nil {
		return nil, err
	}
	outs := make([]extended, len(list))
	for i, c := range list {
		outs[i].RemoteExtended, outs[i].live = live[c.WorkerID]
	}
	return outs, nil
}

func (s *Server) confirmAll(ctx context.Context, list []work.RunKey) ([]*work.ConfirmedRun, error) {
	confirmed, err := s.cfg.Store.Confirm(ctx, list)
	if err != nil {
		return nil, err
	}
	outs := make([]*work.ConfirmedRun, len(list))
	for i, key := range list {
		if c, ok := confirmed[key.Token]; ok {
			outs[i] = &c
		}
	}
	return outs, nil
}

func (s *Server) finishAll(ctx context.Context, list []work.RunOutcome) ([]work.Status, error) {
	done, err := s.cfg.Store.Finish(ctx, list)
	if err != nil {
		return nil, err
	}
	outs := make([]work.Status, len(list))
	for i, o := range list {
		end, ended := done[o.Token]
		if outs[i] = end.Status; ended && end.Attempt.Counted() && s.cfg.Ended != nil {
			s.cfg.Ended(end.Attempt)
		}
	}
	return outs, nil
}
