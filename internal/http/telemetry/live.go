package telemetry

import (
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
)

// deadlocked is after which time a lock that cannot be had is held for ever: none
// is held while anything is waited for.
const deadlocked = 10 * time.Second

type liveReport struct {
	Status string `json:"status" doc:"alive, or deadlocked"`
}

func (a *API) registerLive(r *http.Router) {
	locks := &lockCheck{try: a.cfg.Readiness.Locks}
	r.RegisterRaw(http.Route{
		Method: "GET", Path: "/livez", Permission: access.Public, Probe: true, ID: "health.live", Summary: "Whether the process is alive",
		Document: func(op *huma.Operation) {
			http.Respond(op, "200", http.JSONType, "Alive", http.SchemaOf[liveReport](r))
			http.Respond(op, "503", http.JSONType, "Some of it waits for a lock that it will never get", http.SchemaOf[liveReport](r))
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

// lockCheck tries locks, once at a time: a try that hangs is not joined by others.
type lockCheck struct {
	try func() // nil: there are no locks

	mu    sync.Mutex // guards what follows
	began time.Time
	done  chan struct{} // closed at the end of the try; nil before the first one
}

// stuck reports whether the locks cannot be had. It begins a try, unless one is
// under way, and waits for it for less than a second. A try that takes longer is
// no deadlock until it has taken very long, which a later call sees.
func (l *lockCheck) stuck() bool {
	if l.try == nil {
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

func (l *lockCheck) begin() (time.Time, chan struct{}) {
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
		l.try()
	}()
	return l.began, done
}
