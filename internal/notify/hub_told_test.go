package notify

import (
	"testing"
	"time"

	"github.com/kappagraph/kappa"
)

// TestHubToldBeforeTable has a source tell of an event that cannot be read yet,
// as the write-ahead log may: a commit is in the log before it is visible, for as
// long as a synchronous standby takes to confirm it.
func TestHubToldBeforeTable(t *testing.T) {
	withHub(t, "who comes between the two gets the event by the history or live", func(t *testing.T, hub *Hub, tab *table) {
		first := subscribe(t, hub, "job")
		e := tab.add("job", kappa.EventCompleted)
		tab.set(func() { tab.hidden = 1 })
		hub.Publish([]kappa.Event{e})
		wantSeqs(t, take(first).Events, 1)

		watched := make(chan kappa.Subscription)
		go func() { watched <- subscribe(t, hub, "job") }()
		time.Sleep(50 * time.Millisecond)
		go func() {
			time.Sleep(50 * time.Millisecond)
			tab.set(func() { tab.hidden = 0 })
		}()
		second := <-watched
		history, err := tab.EventSeqs(t.Context(), []string{"job"})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(safetyPoll + time.Second)
		if live := take(second).Events; len(live) == 0 && history["job"] == 0 {
			t.Error("the event was neither in the history that was read after Watch nor delivered")
		}
	}, "job")
}

// TestHubToldAndLost has the table lose what a source told of, as a failover
// does: who waits for it is told to begin anew.
func TestHubToldAndLost(t *testing.T) {
	withHub(t, "a watch that waits for what the table has lost ends with the others", func(t *testing.T, hub *Hub, tab *table) {
		first := subscribe(t, hub, "job")
		e := tab.add("job", kappa.EventCompleted)
		tab.set(func() { tab.events["job"] = nil })
		hub.Publish([]kappa.Event{e})
		wantSeqs(t, take(first).Events, 1)
		second := subscribe(t, hub)
		began := time.Now()
		err := second.Watch(t.Context(), "job")
		if kappa.ErrorCode(err) != kappa.CodeUnavailable || time.Since(began) > 2*safetyPoll+retryMost || !take(second).Ended {
			t.Errorf("Watch returned %v after %s", err, time.Since(began))
		}
	}, "job")
}
