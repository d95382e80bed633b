package graph

import (
	"context"
	"fmt"

	"github.com/kappagraph/kappa"
)

const (
	analysesAtOnce = 8 // at most
	leftToPeople   = 2 // connections that neither analyses nor those who help to read take
)

// share divides the connections that a Graph reads over. An analysis holds one for as long
// as minutes, and who helps to read a wide level one for seconds, so that both have limits
// of their own: whatever they do, some connections are left for the questions of people.
type share struct {
	analyses chan struct{} // one for each that runs
	helpers  int           // at most; 0 = as many as the settings say
	none     bool          // no helpers: there are too few connections
}

// newShare divides so many connections; 0 is any number.
func newShare(connections int) share {
	if connections <= 0 {
		return share{analyses: make(chan struct{}, analysesAtOnce)}
	}
	analyses := max(1, min(analysesAtOnce, (connections-leftToPeople)/2))
	helpers := max(0, connections-leftToPeople-analyses)
	return share{analyses: make(chan struct{}, analyses), helpers: helpers, none: helpers == 0}
}

// most returns how many may help to read, of those that the settings allow.
func (s share) most(allowed int) int {
	switch {
	case s.none:
		return 0
	case s.helpers > 0:
		return min(allowed, s.helpers)
	}
	return allowed
}

// turn waits until one of the analyses may run, and returns what ends it. It returns a
// CodeUnavailable Error when the deadline of ctx comes first, and the error of a caller who
// has left.
func (g *Graph) turn(ctx context.Context) (end func(), err error) {
	select {
	case g.share.analyses <- struct{}{}:
		return func() { <-g.share.analyses }, nil
	case <-ctx.Done():
	}
	return nil, &kappa.Error{
		Code: kappa.CodeUnavailable, RetryAfter: retryAfter, Err: ctx.Err(),
		Message: fmt.Sprintf("the analysis has not begun: %d other analyses were running all the time; try again later, or submit it as a job", cap(g.share.analyses)),
	}
}
