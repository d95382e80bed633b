package work

import "context"

// How many event streams may be open at a server unless its settings say otherwise.
const (
	DefaultMaxStreams     = 20_000
	DefaultMaxUserStreams = 10_000 // of one user
)

// Subscription collects the events of jobs for one reader. Its methods may be called
// from any goroutine.
//
// It delivers the events of a job that are committed after Watch returned, in
// order of Seq and each at most once. A reader that lags gets only the last of several
// progress events of a job that follow each other. It gets every status change and every
// terminal event. A reader that lags for more than a second by 256 events that cannot be
// left out is too slow: its subscription ends, and it continues with a new one after the
// last Seq that it has seen.
type Subscription interface {
	// Watch adds a job. It returns a kappa.CodeNotFound Error for an unknown job, and another
	// error when the database cannot be read. A second call for a job does nothing.
	Watch(ctx context.Context, jobID string) error
	// Unwatch removes a job. Events that were collected before may still be delivered.
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
	// Events are in order within each job. All readers share an Event: it is never
	// changed.
	Events []*Event
	// Gone are watched jobs that were deleted. They are not watched any more.
	Gone []string
	// Changed are jobs that are not watched and may have new events. Only a
	// subscription to all jobs has them.
	Changed []string
	// Resync says that messages may have been lost. Watched jobs are read again; a
	// reader that follows Changed reads all jobs again that it cares about. Only a
	// subscription to all jobs has it.
	Resync bool
	// Ended says that nothing follows, because the reader was too slow, the server
	// stops, or Close was called.
	Ended bool
}

// HubStats are the figures of a hub, which hands out the events within one process. All
// but the first two only grow.
type HubStats struct {
	Watched     int   // jobs with subscribers
	Subscribers int   // open subscriptions
	Delivered   int64 // events put into mailboxes
	Coalesced   int64 // of those, progress that took the place of earlier progress
	EndedSlow   int64 // subscriptions that ended because their reader was too slow
	Reads       int64 // statements sent to the database
}
