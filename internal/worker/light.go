package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

const (
	progressEvery = 500 * time.Millisecond
	logEvery      = 200 * time.Millisecond
	mostLogLines  = 1000 // that wait
	mostLogBatch  = 1 << 20
	cutMark       = " … (cut)"
)

// light is what a run says that may be lost: its progress and its log.
type light struct {
	shown        json.RawMessage // the newest progress that was not sent
	percent      float64
	showTimer    *time.Timer
	lines        []wire.LogLine
	dropped      int // lines, since the last message
	messages     int64
	logging      bool // a message of the log is on its way
	logTimer     *time.Timer
	lightStopped bool
}

func (r *run) stopLight() {
	r.lightStopped, r.lines, r.shown = true, nil, nil
	for _, t := range []*time.Timer{r.showTimer, r.logTimer} {
		if t != nil {
			t.Stop()
		}
	}
}

// progress keeps a progress until it may be sent.
func (r *run) progress(p json.RawMessage) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(p, &members) != nil || members == nil {
		return errors.New("progress: must be an object")
	}
	var percent float64
	if text, ok := members["percent"]; ok && (json.Unmarshal(text, &percent) != nil || percent < 0 || percent > 100) {
		return errors.New("progress: percent must be a number from 0 to 100")
	}
	for _, name := range []string{"stage", "message"} {
		var text string
		if value, ok := members[name]; ok && json.Unmarshal(value, &text) != nil {
			return fmt.Errorf("progress: %s must be a text", name)
		}
	}
	w := r.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.lightStopped || r.ending || !w.hasLocked(wire.CapProgress) {
		return nil
	}
	r.percent = max(r.percent, percent) // within an attempt it never falls
	members["percent"], _ = json.Marshal(r.percent)
	r.shown, _ = json.Marshal(members)
	if r.showTimer == nil {
		r.showLocked()
	}
	return nil
}

// showLocked sends the newest progress, and no other one for a while.
func (r *run) showLocked() {
	w := r.w
	if w.session != nil && r.shown != nil && w.lease.holds(time.Now()) {
		p := wire.RunProgress{RunKey: r.key, Progress: r.shown}
		r.shown = nil
		w.session.send(wire.EventProgress, p, wire.ReplyTimeout, w.lightAnswer(w.session, r))
	}
	r.showTimer = time.AfterFunc(progressEvery, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if r.showTimer = nil; r.shown != nil && !r.lightStopped {
			r.showLocked()
		}
	})
}

// lightAnswer handles the answer to an event that may be lost: only one that says that
// the run is lost matters.
func (w *Worker) lightAnswer(s *session, r *run) func(json.RawMessage, error) {
	return func(_ json.RawMessage, err error) {
		e, ok := errors.AsType[*wire.Error](err)
		if !ok || e.Kind == wire.KindRetryable {
			return
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		switch {
		case w.session != s || w.runs[r.key.ID] != r:
		case e.Kind == wire.KindFatal:
			w.refuseLocked(s, e)
		case !r.ending: // the answer to its end says more
			w.loseLocked(r, e.Error())
		}
	}
}

// log keeps a line until it is sent with others. When too many wait, it is left out.
func (r *run) log(level, message string) {
	message = strings.ToValidUTF8(message, "\ufffd")
	if len(message) > wire.MaxLogLine {
		message = strings.ToValidUTF8(message[:wire.MaxLogLine-len(cutMark)], "") + cutMark
	}
	w := r.w
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case r.lightStopped || r.ending:
	case len(r.lines) >= mostLogLines:
		r.dropped++
	default:
		r.lines = append(r.lines, wire.LogLine{Level: level, Message: message})
		if r.logTimer == nil {
			r.logTimer = time.AfterFunc(logEvery, r.logDue)
		}
	}
}

func (r *run) logDue() {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	r.logTimer = nil
	if r.lightStopped || len(r.lines) == 0 {
		return
	}
	if !r.logging {
		r.sendLogLocked()
	}
	if len(r.lines) > 0 {
		r.logTimer = time.AfterFunc(logEvery, r.logDue)
	}
}

// sendLogLocked sends lines as one message.
func (r *run) sendLogLocked() {
	w := r.w
	s := w.session
	if s == nil || !w.lease.holds(time.Now()) {
		return
	}
	n, size := 0, 0
	for n < len(r.lines) && size+len(r.lines[n].Message) <= mostLogBatch {
		size += len(r.lines[n].Message)
		n++
	}
	lines := slices.Clone(r.lines[:n])
	r.lines = r.lines[n:]
	if r.dropped > 0 && len(r.lines) == 0 {
		lines = append(lines, wire.LogLine{Level: "warn", Message: fmt.Sprintf("%d lines were left out", r.dropped)})
		r.dropped = 0
	}
	r.messages++
	r.logging = true
	answer := w.lightAnswer(s, r)
	s.send(wire.EventLog, wire.RunLog{RunKey: r.key, N: r.messages, Lines: lines}, wire.ReplyTimeout, func(response json.RawMessage, err error) {
		w.mu.Lock()
		r.logging = false
		w.mu.Unlock()
		answer(response, err)
	})
}

// flushLightLocked sends what waits, before the run ends.
func (r *run) flushLightLocked() {
	for len(r.lines) > 0 {
		before := len(r.lines)
		if r.sendLogLocked(); len(r.lines) == before {
			break
		}
	}
	r.shown = nil
}
