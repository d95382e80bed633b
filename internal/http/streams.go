package http

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
)

// streamEnd is why an event stream ended, in the word of the metric. It is no
// failure.
type streamEnd string

// The ends of streams.
const (
	endOver     streamEnd = "over"     // the job's terminal event was sent
	endDeleted  streamEnd = "deleted"  // the job is gone
	endRevoked  streamEnd = "revoked"  // the right to look was taken
	endExpired  streamEnd = "expired"  // the token came to its end
	endBehind   streamEnd = "behind"   // too many events waited for the client
	endSlow     streamEnd = "slow"     // a write took too long
	endClient   streamEnd = "client"   // the client went
	endStopping streamEnd = "stopping" // the server stops
	endFailed   streamEnd = "failed"   // something behind the stream failed
)

// Error returns the word.
func (e streamEnd) Error() string { return "the stream is over: " + string(e) }

const (
	soonestReturn = time.Second
	latestReturn  = 30 * time.Second
	returnPace    = time.Millisecond // for each client, so that 1,000 a second come back
)

// returnWithin returns when one of so many clients that are sent away at once
// shall come back: at random, so that they do not come back at once.
func returnWithin(clients int) time.Duration {
	spread := min(time.Duration(clients)*returnPace, latestReturn-soonestReturn)
	return soonestReturn + rand.N(spread+1)
}

// streams are the open event streams of a Server, so that they can be counted,
// limited and ended.
type streams struct {
	most, mostOfUser int

	mu      sync.Mutex // guards what follows
	open    map[*openStream]struct{}
	ofUsers map[int]int
}

func newStreams(l Limits) *streams {
	return &streams{most: l.Streams, mostOfUser: l.UserStreams, open: map[*openStream]struct{}{}, ofUsers: map[int]int{}}
}

// openStream is an event stream as others see it: those that end it, and those
// that have something for it.
type openStream struct {
	principal kappa.Principal
	demands   []permission // what the principal must still be allowed

	wake    chan struct{} // holds a value when the stream is to look around
	revoked atomic.Bool
}

// nudge has the stream look around soon. It never waits.
func (o *openStream) nudge() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// revoke has the stream end.
func (o *openStream) revoke() {
	o.revoked.Store(true)
	o.nudge()
}

// add counts a stream in, until remove. It returns a CodeRateLimited Error when
// there are too many.
func (s *streams) add(p kappa.Principal, demands ...permission) (*openStream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ofUsers[p.User.ID] >= s.mostOfUser:
		return nil, tooManyStreams("You have too many event streams open; close some, or follow many jobs with GET /events")
	case len(s.open) >= s.most:
		return nil, tooManyStreams("The server has too many event streams open; try again in a few seconds")
	}
	o := &openStream{principal: p, demands: demands, wake: make(chan struct{}, 1)}
	s.open[o] = struct{}{}
	s.ofUsers[p.User.ID]++
	return o, nil
}

func tooManyStreams(message string) error {
	return &kappa.Error{Code: kappa.CodeRateLimited, Message: message, RetryAfter: 5 * time.Second}
}

func (s *streams) remove(o *openStream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, o)
	if s.ofUsers[o.principal.User.ID]--; s.ofUsers[o.principal.User.ID] == 0 {
		delete(s.ofUsers, o.principal.User.ID)
	}
}

// count returns how many streams are open.
func (s *streams) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// byToken returns the open streams by the token that opened them.
func (s *streams) byToken() map[string][]*openStream {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string][]*openStream{}
	for o := range s.open {
		out[o.principal.TokenID] = append(out[o.principal.TokenID], o)
	}
	return out
}
