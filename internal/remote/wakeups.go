package remote

import (
	"context"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/work"
)

// poll reads what waits, and wakes everybody who may take it.
func (s *Server) poll(ctx context.Context) {
	sessions := s.all()
	if len(sessions) == 0 {
		return
	}
	callCtx, cancel := context.WithTimeout(ctx, statementLimit)
	pairs, err := s.cfg.Store.Marks(callCtx)
	cancel()
	if err != nil {
		s.cfg.Log.WarnContext(ctx, "reading what waits for remote workers failed", "err", err)
		return
	}
	s.marks.add(pairs...)
	if len(pairs) == 0 {
		return
	}
	for _, session := range sessions {
		session.wake(pairs...)
	}
}

// Notified takes a notification on the channel of remote workers.
func (s *Server) Notified(payload string) {
	what, rest, _ := strings.Cut(payload, " ")
	switch what {
	case "work":
		if jobType, queue, ok := strings.Cut(rest, " "); ok {
			s.wakeFor(work.WaitingPair{JobType: jobType, Queue: queue})
		}
	case "child":
		if s.cfg.Child != nil {
			s.cfg.Child(rest)
		}
	case "drain", "undrain", "groups", "disconnect", "block":
		for _, session := range s.all() {
			if session.member.WorkerID == rest {
				session.operate(what)
			}
		}
	}
}

// wakeFor marks that work has come, and wakes one worker more than would take one job,
// in turn.
func (s *Server) wakeFor(pair work.WaitingPair) {
	s.marks.add(pair)
	s.wakeSome(pair, 2)
}

func (s *Server) wakeSome(pair work.WaitingPair, most int) {
	s.mu.Lock()
	turn := slices.Concat(s.sessions[min(s.next, len(s.sessions)):], s.sessions[:min(s.next, len(s.sessions))])
	s.mu.Unlock()
	for i, session := range turn {
		if session.wake(pair) {
			if most--; most == 0 {
				s.mu.Lock()
				if n := len(s.sessions); n > 0 {
					s.next = (s.next + i + 1) % n
				}
				s.mu.Unlock()
				return
			}
		}
	}
}

// WakeAll asks again what waits: notifications may have been lost. It returns at once.
func (s *Server) WakeAll() { s.ask.Wake() }

// Cancel has the worker of a job stop it, if the job runs here. Whoever says so may be
// wrong: the database is asked.
func (s *Server) Cancel(jobID string) {
	for _, session := range s.all() {
		if session.held.holds(jobID) {
			session.socket.spawn(session.reconcile)
		}
	}
}
