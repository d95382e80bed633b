package notify

import (
	"context"

	"github.com/kappagraph/kappa/work"
)

// Sink is what a source notifies. Its calls return at once and may come from any
// goroutine; *Hub is one.
type Sink interface {
	// Publish hands over committed events as work.StoredEvent gives them, in
	// order within each job. They may repeat what was delivered before. Nobody changes
	// them afterwards.
	Publish(events []work.Event)
	// Hint says that these jobs may have new events.
	Hint(jobIDs ...string)
	// Resync says that messages may have been lost: reconcile all jobs.
	Resync()
}

// Source hears of committed events and notifies its Sink. It may lose, repeat or
// delay a message; after each new connection it has its Sink reconcile everything
// once, so that nothing that was lost meanwhile waits for the safety poll.
type Source interface {
	// Run connects, again after each failure, and returns nil when ctx ends. No
	// goroutine and no connection are left then.
	Run(ctx context.Context) error
	// State says how well the source hears at present. It returns at once.
	State() work.EventSource
}
