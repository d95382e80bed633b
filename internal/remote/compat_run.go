package remote

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

// minTokenLife is how long a run token is valid at least.
const minTokenLife = 24 * time.Hour

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
