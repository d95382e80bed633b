package remote

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

// minTokenLife is how long a run token is valid at least.
const minTokenLife = 24 * time.Hour

// channel is a joined channel of a run, compatible profile.
type channel struct {
	joinRef string
	run     *run
	sink    bool // the attempt may not act: all is answered, and nothing stored
	events  serial
	retry   serial // events that were answered, and are not stored yet
}

// compatRun is what a run of the compatible profile has in memory. Two channels may have it
// at once, when it is joined again.
type compatRun struct {
	mu        sync.Mutex // guards what follows
	input     *compatInput
	completed bool
}

// compatInput is what a run works on. It does not change.
type compatInput struct {
	plan   json.RawMessage
	data   runData
	hollow bool // the plan is not the run's own
}

// set has the run work on an input, unless it has one.
func (r *compatRun) set(input *compatInput) *compatInput {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.input == nil {
		r.input = input
	}
	return r.input
}

// known returns what the run works on, nil while that is not known.
func (r *compatRun) known() *compatInput {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.input
}

// complete says that the run has ended, and reports whether that is new.
func (r *compatRun) complete() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := !r.completed
	r.completed = true
	return first
}

// runToken returns the token of a claim.
func (s *Server) runToken(r wire.Run, worker string) (string, error) {
	token, err := parseToken(r.Token)
	if err != nil {
		return "", err
	}
	life := max(minTokenLife, time.Duration(r.DeadlineMS)*time.Millisecond+time.Hour)
	return s.tokens.Sign(wire.RunToken{JobID: r.ID, Token: token, Worker: worker}, s.cfg.Now(), life)
}

// pause waits, unless the connection ends.
func (n *session) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-n.ctx.Done():
	}
}

// compatEvent handles an event of a run, in its turn.
func (n *session) compatEvent(f wire.Frame, c *channel) {
	n.mu.Lock()
	sink := c.sink || c.run.ended
	n.mu.Unlock()
	switch f.Event {
	case wire.EventFetchPlan:
		n.replyPlan(f, c, sink)
	case wire.EventFetchDataclip:
		n.fetchDataclip(f, c, sink)
	case wire.EventFetchCredential:
		n.fetchCredential(f, c, sink)
	case wire.EventRunLog, wire.EventRunBatchLogs:
		n.reply(f, nil) // first: what becomes of it delays nothing
		if !sink {
			n.compatLog(f, c)
		}
	case wire.EventStepStart, wire.EventStepComplete:
		n.step(f, c, sink)
	case wire.EventRunComplete:
		n.completeCompat(f, c, sink)
	default:
		n.reply(f, nil)
	}
}

// persist makes a call to the database that stores so many bytes, again while that is away, for as long as an
// answer may wait.
func (n *session) persist(size int, call func(ctx context.Context) error) error {
	deadline := time.Now().Add(retryLimit)
	for {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(n.ctx), limitFor(size))
		err := call(ctx)
		cancel()
		if err == nil || !unavailable(err) || time.Now().After(deadline) || n.srv.stopping.Load() {
			return err
		}
		n.srv.pause(200 * time.Millisecond)
	}
}
