package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/work"
)

// until waits for a condition, at most as long as only what hangs takes.
func until(t *testing.T, met func() bool, problem func() string) {
	t.Helper()
	limit, cancel := context.WithTimeout(t.Context(), pointLimit)
	defer cancel()
	for !met() {
		select {
		case <-limit.Done():
			t.Fatal(problem())
		case <-time.After(pointPoll): // polled: the server notifies nobody
		}
	}
}

// awaitThat is until for what is named in few words.
func awaitThat(t *testing.T, what string, done func() bool) {
	t.Helper()
	until(t, done, func() string { return "waited in vain for " + what })
}

// beforeThePoll waits for what a notification brings about. It fails when that took more than
// half of the time after which a server looks by itself.
func beforeThePoll(t *testing.T, poll time.Duration, what string, done func() bool) {
	t.Helper()
	began := time.Now()
	awaitThat(t, what, done)
	if took := time.Since(began); took > poll/2 {
		t.Errorf("it took %s, with a poll each %s: nobody was notified of %s", took, poll, what)
	}
}

// seldomPoll is how often a lane of seldomPolls looks for jobs that nobody notifies it of.
const seldomPoll = work.MaxPollIntervalMS * time.Millisecond

// seldomPolls has the lane of most tests poll as seldom as one can: what it does sooner, it was
// notified of.
func seldomPolls(t *testing.T, c *client.Client) {
	t.Helper()
	_, err := c.Workers.UpdateLane(t.Context(), "interactive", work.LaneUpdate{PollIntervalMS: new(work.MaxPollIntervalMS)})
	check(t, err)
}

// meanwhile lets time pass, for what must not happen to happen. On a busy machine less of it
// would.
func meanwhile(d time.Duration) { time.Sleep(d) }
