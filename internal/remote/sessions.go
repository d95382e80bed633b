package remote

import (
	"context"
	"slices"
	"time"

	"github.com/kappagraph/kappa/work"
)

// all returns the sessions.
func (s *Server) all() []*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sessions)
}

// add takes a session in and ends older ones of the same worker. The generation says
// which is older: the handlers of two connections may come here in any order.
func (s *Server) add(n *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var others []*session
	for _, old := range s.sessions {
		switch {
		case old.member.WorkerID != n.member.WorkerID:
		case old.member.Generation > n.member.Generation:
			n.replaced()
			return
		default:
			old.replaced()
			others = append(others, old)
		}
	}
	expected := len(others) > 0 && !slices.ContainsFunc(others, func(old *session) bool { return !old.member.view().regrouped })
	s.sessions = slices.DeleteFunc(s.sessions, func(old *session) bool { return slices.Contains(others, old) })
	switch {
	case expected:
	case len(others) > 0:
		recent := slices.DeleteFunc(s.takeOver[n.member.WorkerID], func(t time.Time) bool { return time.Since(t) > time.Minute })
		s.takeOver[n.member.WorkerID] = append(recent, time.Now())
		if n.member.contested = len(recent) >= 5; n.member.contested {
			n.log.WarnContext(n.socket.ctx, "two processes share one worker identity")
		}
	default:
		delete(s.takeOver, n.member.WorkerID)
	}
	s.sessions = append(s.sessions, n)
}

func (s *Server) remove(n *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = slices.DeleteFunc(s.sessions, func(old *session) bool { return old == n })
	if !slices.ContainsFunc(s.sessions, func(other *session) bool { return other.member.WorkerID == n.member.WorkerID }) {
		delete(s.takeOver, n.member.WorkerID)
	}
}

// enter takes a place for a connection, and reports false when there is none. leave
// gives it back.
func (s *Server) enter() bool {
	if s.places.Add(1) <= maxSockets {
		return true
	}
	s.leave()
	return false
}

func (s *Server) leave() { s.places.Add(-1) }

// seen stores what is known of the connections, renews the leases of those that do
// not do it themselves, and ends those that are silent or have been replaced.
func (s *Server) seen(ctx context.Context) {
	var sessions []*session // that have joined; who joins meanwhile is not asked for
	var list []work.RemoteSeen
	for _, session := range s.all() {
		if session.tick() {
			sessions, list = append(sessions, session), append(list, session.takeSeen())
		}
	}
	if len(list) == 0 {
		return
	}
	callCtx, cancel := context.WithTimeout(ctx, statementLimit)
	defer cancel()
	live, err := s.cfg.Store.Seen(callCtx, list)
	if err != nil {
		s.cfg.Log.WarnContext(ctx, "storing what remote workers do failed", "err", err)
		for i, session := range sessions {
			session.endings.putBack(list[i])
		}
		return
	}
	var compat []*session
	for _, session := range sessions {
		orders, ok := live[session.member.WorkerID]
		switch {
		case !ok && session.member.view().joinRef != "":
			session.lost() // its lease was over, or another server has it
		case ok:
			session.obey(orders)
			if !session.member.extended() && session.held.busy() {
				compat = append(compat, session)
			}
		}
	}
	s.reconcile(ctx, compat)
}

// reconcile asks once which runs of all these workers are to stop.
func (s *Server) reconcile(ctx context.Context, sessions []*session) {
	if len(sessions) == 0 {
		return
	}
	ids := make([]string, len(sessions))
	for i, session := range sessions {
		ids[i] = session.member.WorkerID
	}
	callCtx, cancel := context.WithTimeout(ctx, statementLimit)
	defer cancel()
	asked := time.Now()
	held, err := s.cfg.Store.Held(callCtx, ids...)
	if err != nil {
		s.cfg.Log.WarnContext(ctx, "reading the runs of remote workers failed", "err", err)
		return
	}
	of := map[string][]work.HeldRun{}
	for _, h := range held {
		of[h.Worker] = append(of[h.Worker], h)
	}
	for _, session := range sessions {
		session.socket.spawn(func() { session.stopAsked(of[session.member.WorkerID], asked) })
	}
}
