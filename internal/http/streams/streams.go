package streams

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
)

// streamEnd is why an event stream ended, in the word of the metric. It is no
// failure.
type streamEnd string

// The ends of streams.
const (
	endOver     streamEnd = "over"     // the job's terminal event was sent
	endDeleted  streamEnd = "deleted"  // the job is gone
	endRevoked  streamEnd = "revoked"  // the right to it was taken
	endExpired  streamEnd = "expired"  // the token came to its end
	endBehind   streamEnd = "behind"   // too many events waited for the client
	endSlow     streamEnd = "slow"     // a write took too long
	endClient   streamEnd = "client"   // the client went
	endStopping streamEnd = "stopping" // the server stops
	endFailed   streamEnd = "failed"   // something behind the stream failed
	endUnsure   streamEnd = "unsure"   // it was not known whether the right to it lasts
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
	unconfirmed      time.Duration // see Limits
	watched          atomic.Bool   // an accessWatch confirms them

	mu      sync.Mutex // guards what follows
	open    map[*openStream]struct{}
	ofUsers map[int]int
}

func newStreams(l Limits) *streams {
	return &streams{most: l.Open, mostOfUser: l.OfUser, unconfirmed: l.unconfirmed, open: map[*openStream]struct{}{}, ofUsers: map[int]int{}}
}

// openStream is an event stream as others see it: those that end it, and those
// that have something for it.
type openStream struct {
	principal   access.Principal
	demands     []access.Permission // what the principal must still be allowed
	since       time.Time           // when its authentication began
	unconfirmed time.Duration       // see Limits
	watched     *atomic.Bool        // false while nobody confirms it

	wake      kappa.Waker // wakes the stream: it has something to do or to check
	revoked   atomic.Bool
	confirmed atomic.Pointer[time.Time] // when the principal was last known to have its rights
	waits     atomic.Bool               // the stream is to be woken when it is confirmed

	examined int64 // the accessWatch's own: the epoch for which the stream was examined
}

// mayShow reports whether the stream may show anything at present. A right that
// was taken must not be used for long, whatever the server hears of that, so the
// stream falls silent when the last confirmation is too old: the database may be
// away, or the whole process may have been stopped. It is woken when it may go
// on. One whose right was taken shows nothing more, even if it has not noticed yet.
func (o *openStream) mayShow() bool {
	if o.revoked.Load() {
		return false
	}
	if !o.watched.Load() || !http.Stale(*o.confirmed.Load(), o.unconfirmed) {
		return true
	}
	o.waits.Store(true)
	return !http.Stale(*o.confirmed.Load(), o.unconfirmed) // it may have been confirmed just before
}

// hasEnded reports whether a right of the principal has ended by itself, of which no epoch
// tells.
func (o *openStream) hasEnded(now time.Time) bool {
	return !o.principal.RightsEnd.IsZero() && !now.Before(o.principal.RightsEnd)
}

// confirm says that the principal had its rights at the given time.
func (o *openStream) confirm(at *time.Time) {
	o.confirmed.Store(at)
	if o.waits.Swap(false) {
		o.wake.Wake()
	}
}

// revoke has the stream end.
func (o *openStream) revoke() {
	o.revoked.Store(true)
	o.wake.Wake()
}

// add counts a stream in, until remove, whose principal was authenticated since a
// time. It returns a CodeRateLimited Error when there are too many.
func (s *streams) add(p access.Principal, since time.Time, demands ...access.Permission) (*openStream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ofUsers[p.User.ID] >= s.mostOfUser:
		return nil, tooManyStreams("You have too many event streams open; close some, or follow many jobs with GET /events")
	case len(s.open) >= s.most:
		return nil, tooManyStreams("The server has too many event streams open; try again in a few seconds")
	}
	o := &openStream{principal: p, demands: demands, since: since, wake: kappa.NewWaker(), unconfirmed: s.unconfirmed, watched: &s.watched}
	o.confirmed.Store(&o.since)
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

// each calls f with each open stream. It must be quick.
func (s *streams) each(f func(*openStream)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for o := range s.open {
		f(o)
	}
}

// right is what streams have in common that are examined together: the client and the
// token that opened them, and what its user was then. API keys and sessions have no token of
// their own. Of two streams of one token the later one may have been opened in another role.
type right struct{ clientID, tokenID, role string }

func (o *openStream) right() right {
	return right{o.principal.ClientID, o.principal.TokenID, o.principal.User.Role}
}
