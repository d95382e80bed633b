package remote

import (
	"context"
	"encoding/json"
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

// compatRun is what a run of the compatible profile has in memory.
type compatRun struct {
	plan      json.RawMessage
	data      runData
	completed bool
	hollow    bool // the plan that it got is not its own
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
		if err == nil || !unavailable(err) || time.Now().After(deadline) {
			return err
		}
		timer := time.NewTimer(200 * time.Millisecond)
		<-timer.C
	}
}
