package worker

import (
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

// hurryTime is how long runs have at the end of a drain to stop and be handed back; half
// of a grace that is shorter than twice that.
const hurryTime = 5 * time.Second

// drain is how the worker comes to rest.
type drain struct {
	on    bool // nothing new is claimed
	exit  bool // and the worker ends when nothing is left
	hurry *time.Timer
	end   *time.Timer
}

func (d *drain) stop() {
	for _, t := range []*time.Timer{d.hurry, d.end} {
		if t != nil {
			t.Stop()
		}
	}
}

// drainFor has the worker claim nothing more. Runs may end until shortly before grace is
// over; then they are stopped and handed back. With exit, Run returns when none is left,
// and at the end of grace whatever is left.
func (w *Worker) drainFor(grace time.Duration, exit bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drainLocked(grace, exit)
}

func (w *Worker) drainLocked(grace time.Duration, exit bool) {
	if w.drain.exit || w.drain.on && !exit {
		return
	}
	w.drain.on, w.drain.exit = true, exit
	w.log.Info("draining", "runs", len(w.runs), "grace", grace)
	if s := w.session; s != nil && exit && w.hasLocked(wire.CapDrain) {
		s.send(wire.EventDrain, wire.Drain{GraceMS: wire.Milliseconds(grace)}, wire.ReplyTimeout, ignored)
	}
	w.drain.stop()
	w.drain.hurry = time.AfterFunc(grace-min(hurryTime, grace/2), func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.hurryLocked()
	})
	if exit {
		w.drain.end = time.AfterFunc(grace, w.endDrain)
	}
	w.idleLocked()
}

func (w *Worker) endDrain() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.runs) > 0 {
		w.log.Warn("the time is over; runs are left to their lease", "runs", len(w.runs))
	}
	w.stopLocked(errEnough)
}

// Hurry has a worker that drains stop its runs and hand them back at once.
func (w *Worker) Hurry() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.drain.exit {
		return
	}
	w.drain.stop()
	w.drain.end = time.AfterFunc(min(hurryTime, w.cfg.Grace), w.endDrain)
	w.hurryLocked()
}

func (w *Worker) hurryLocked() {
	for _, r := range w.runs {
		if !r.ending && !r.lost {
			r.cancel(ErrDrain)
		}
	}
}

// operatorDrainLocked drains as an operator asks: the worker stays connected, and idle.
func (w *Worker) operatorDrainLocked(d wire.Drain) {
	grace := time.Duration(d.GraceMS) * time.Millisecond
	if grace <= 0 {
		grace = w.cfg.Grace
	}
	w.drainLocked(grace, false)
}

// idleLocked ends the worker when nothing is left to do: while it stops, or with
// Config.Once when every group has found nothing.
func (w *Worker) idleLocked() {
	for _, g := range w.groups {
		if len(g.active) > 0 || g.pending > 0 || w.cfg.Once && !w.drain.exit && !g.empty {
			return
		}
	}
	if len(w.runs) == 0 && (w.drain.exit || w.cfg.Once) {
		w.stopLocked(errEnough)
	}
}
