package notify

import (
	"time"

	"github.com/kappagraph/kappa/work"
)

const (
	faultLate   = safetyPoll + time.Second // nothing may take longer while the watcher and the table can be reached
	faultPrompt = 2500 * time.Millisecond  // nor than this, while the source is connected and no message was lost
)

// judge checks how long the watcher of a job has waited for an event that it
// got at a moment, or had not got when its connection ended.
func (w *faultWorld) judge(j *visited, e *work.Event, when time.Time) {
	if when.Sub(e.At.Time) <= faultPrompt {
		return
	}
	since := later(e.At.Time, j.began, j.awake, j.server.outage.healed(when))
	if waited := when.Sub(since); waited > faultLate {
		w.late("%s: event %d, %s, was late by %s on %s", e.JobID, e.Seq, e.Kind, waited, j.server.name)
		return
	}
	connected, ok := j.server.connectedSince()
	if waited := when.Sub(later(since, connected, j.server.silent.healed(when))); ok && waited > faultPrompt && !w.lossy(e.At.Time) {
		w.late("%s: event %d, %s, was late by %s on %s, whose source was connected", e.JobID, e.Seq, e.Kind, waited, j.server.name)
	}
}

// lossy reports whether what was committed at a moment may not have been notified
// to the others. The write-ahead log has all that was committed.
func (w *faultWorld) lossy(at time.Time) bool {
	if w.by == byWAL {
		return false
	}
	for _, s := range w.servers {
		if s.outage.near(at, time.Second) {
			return true
		}
		if w.by != byNATS {
			continue
		}
		if since, ok := s.connectedSince(); !ok || since.After(at.Add(-time.Second)) {
			return true
		}
	}
	return false
}
