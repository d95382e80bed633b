package http

import (
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
)

// deadlocked is after which time a lock that cannot be had is held for ever: none
// is held while anything is waited for.
const deadlocked = 10 * time.Second

type liveReport struct {
	Status string `json:"status" doc:"alive, or deadlocked"`
}

func (s *Server) registerLive(r *Router) {
	locks := &lockLook{look: s.cfg.Readiness.Locks}
	r.RegisterRaw(Route{
		Method: "GET", Path: "/livez", Permission: kappa.Public, ID: "health.live", Summary: "Whether the process is alive",
		Document: func(op *huma.Operation) {
			op.Description = "For orchestrators, which should restart the process when this fails. What a restart cannot mend, such as a database that is away, does not count. It answers within a second."
			Respond(op, "200", JSONType, "Alive", SchemaOf[liveReport](r))
			Respond(op, "503", JSONType, "Some of it waits for a lock that it will never get", SchemaOf[liveReport](r))
		},
	}, func(c *gin.Context) error {
		report := liveReport{Status: "alive"}
		stuck := locks.stuck()
		if stuck {
			report.Status = "deadlocked"
		}
		answerProbe(c, !stuck, report)
		return nil
	})
}

// lockLook tries locks, one look at a time: one that hangs is not joined by
// others.
type lockLook struct {
	look func() // nil: there is nothing to look at

	mu    sync.Mutex // guards what follows
	began time.Time
	done  chan struct{} // closed at the end of the look; nil before the first one
}

// stuck reports whether the locks cannot be had. It begins a look, unless one is
// under way, and waits for it for less than a second. A look that takes longer is
// no deadlock until it has taken very long, which a later call sees.
func (l *lockLook) stuck() bool {
	if l.look == nil {
		return false
	}
	began, done := l.begin()
	limit := time.NewTimer(probeTimeout)
	defer limit.Stop()
	select {
	case <-done:
		return false
	case <-limit.C:
		return time.Since(began) >= deadlocked
	}
}

func (l *lockLook) begin() (time.Time, chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done != nil {
		select {
		case <-l.done:
		default:
			return l.began, l.done
		}
	}
	done := make(chan struct{})
	l.began, l.done = time.Now(), done
	go func() { // not waited for: it ends at once, or never
		defer close(done)
		l.look()
	}()
	return l.began, done
}
