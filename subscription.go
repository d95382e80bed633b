package kappa

import "context"

// How many event streams a server lets be open unless it is told otherwise.
const (
	DefaultMaxStreams     = 20_000
	DefaultMaxUserStreams = 10_000 // of one user
)

// Subscription collects the events of jobs for one reader. What it holds is
// taken by that reader alone; its methods may be called from any goroutine.
//
// It delivers the events of a job that are committed after Watch returned, in
// order of Seq and each at most once. A reader that lags gets, of progress
// events of a job that follow each other, only the last; a status change or a
// terminal event is never left out. One that lags too far, for more than a second
// by 256 events that cannot be left out, finds the subscription ended and goes
// on from the last Seq it has seen, with a new one.
type Subscription interface {
	// Watch adds a job. It returns CodeNotFound for one that is not there, and
	// an error when the database cannot be read. A second call for a job does
	// nothing.
	Watch(ctx context.Context, jobID string) error
	// Unwatch takes a job out; what was collected of it may still be taken.
	Unwatch(jobID string)
	// Ready has a value when Take has something new. It is never closed.
	Ready() <-chan struct{}
	// Take returns what was collected since the last call, and does not wait.
	Take() Delivery
	// Close ends the subscription. It may be called more than once.
	Close()
}

// Delivery is what a Subscription has collected.
type Delivery struct {
	// Events are in order within each job. All readers get the same Event, which
	// nobody changes.
	Events []*Event
	// Gone are watched jobs that were deleted; they are watched no more.
	Gone []string
	// Changed are jobs that are not watched and may have new events. Only a
	// subscription to all jobs has them.
	Changed []string
	// Resync says that messages may have been lost. Watched jobs are read anew;
	// who follows Changed looks at all that may concern him. Only a subscription
	// to all jobs has it.
	Resync bool
	// Ended says that nothing follows: the reader was too slow, the server stops,
	// or Close was called.
	Ended bool
}

// HubStats are the figures of what hands out events inside one process. All but
// the first two only grow.
type HubStats struct {
	Watched     int   // jobs with subscribers
	Subscribers int   // open subscriptions
	Delivered   int64 // events put into mailboxes
	Coalesced   int64 // of those, progress that took the place of earlier progress
	EndedSlow   int64 // subscriptions that ended because their reader was too slow
	Reads       int64 // statements sent to the database
}
