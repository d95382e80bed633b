package notify

import (
	"context"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	watchdogEvery    = 5 * time.Second
	watchdogStuckFor = 15 * time.Second // three times what a listener may be silent
)

// stuckListeners is where the Watchdog acts. EndStuckListeners ends the sessions
// of sources that have not taken what the server sends them for so long, and
// returns their process ids.
type stuckListeners interface {
	EndStuckListeners(ctx context.Context, stuckFor time.Duration) ([]int32, error)
}

// WatchdogConfig says where and how a Watchdog checks.
type WatchdogConfig struct {
	Store stuckListeners
	Every time.Duration // between checks; 0 = 5 s
	Log   *slog.Logger

	stuckFor time.Duration // how long a session may be stuck; 0 = 15 s
}

// Watchdog ends listeners that have stopped to read, of this process or another:
// a stopped process, or one whose machine is gone. The server would keep every
// notification for them, up to 8 GB, after which commits that notify fail; and
// their snapshots keep vacuum from removing dead rows.
type Watchdog struct{ cfg WatchdogConfig }

// NewWatchdog returns a Watchdog; Run makes it check.
func NewWatchdog(cfg WatchdogConfig) *Watchdog {
	if cfg.Every == 0 {
		cfg.Every = watchdogEvery
	}
	if cfg.stuckFor == 0 {
		cfg.stuckFor = watchdogStuckFor
	}
	return &Watchdog{cfg: cfg}
}

// Run checks until ctx ends, and returns nil. A stuck listener is ended at the
// latest after 15 s and Every. A check that fails is logged and repeated.
func (w *Watchdog) Run(ctx context.Context) error {
	return kappa.Loop{Name: "checking for stuck listeners", Every: w.cfg.Every, Later: true, Log: w.cfg.Log}.Run(ctx, w.reconcileOnce)
}

func (w *Watchdog) reconcileOnce(ctx context.Context) error {
	reconcileCtx, cancel := context.WithTimeout(ctx, w.cfg.Every)
	defer cancel()
	ended, err := w.cfg.Store.EndStuckListeners(reconcileCtx, w.cfg.stuckFor)
	for _, pid := range ended {
		w.cfg.Log.WarnContext(ctx, "ended a listener that had stopped to read", "backend_pid", pid, "stuck_for", w.cfg.stuckFor)
	}
	return err
}
