package lanes

import (
	"strconv"
	"testing"
	"time"

	"github.com/kappagraph/kappa/work"
)

// TestOutcomeQueue tests one group at a time; what two of them do beside each
// other is in TestFinisherStatements.
func TestOutcomeQueue(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	lane := &Lane{}
	queue := func(atWork, ended int) *outcomeQueue {
		q := newOutcomeQueue()
		q.expect(atWork + ended)
		for i := range ended {
			q.add(newRun(t.Context(), work.Claim{JobID: strconv.Itoa(i)}, lane))
		}
		return q
	}
	t.Run("waits for nothing without traffic", func(t *testing.T) {
		if group, wait := queue(5, 1).take(start, nil); len(group) != 1 || wait != 0 {
			t.Errorf("took %d and waits for %s", len(group), wait)
		}
	})
	t.Run("waits a moment under traffic while others are at work", func(t *testing.T) {
		q := queue(5, 1)
		q.last = start.Add(-finishBusy / 2)
		if group, wait := q.take(start, nil); len(group) != 0 || wait != finishLinger {
			t.Errorf("took %d and waits for %s", len(group), wait)
		}
		if group, wait := q.take(start.Add(finishLinger/2), nil); len(group) != 0 || wait != finishLinger/2 {
			t.Errorf("half way it took %d and waits for %s", len(group), wait)
		}
		if group, _ := q.take(start.Add(finishLinger), nil); len(group) != 1 {
			t.Errorf("took %d in the end", len(group))
		}
	})
	t.Run("does not wait under traffic when nobody else is at work", func(t *testing.T) {
		q := queue(0, 3)
		q.last = start
		if group, wait := q.take(start, nil); len(group) != 3 || wait != 0 {
			t.Errorf("took %d and waits for %s", len(group), wait)
		}
	})
	t.Run("is woken when the last one at work is given up", func(t *testing.T) {
		q := queue(1, 1)
		q.last = start
		q.take(start, nil)
		<-q.wake.C() // for the first outcome
		q.dismiss()
		select {
		case <-q.wake.C():
		default:
			t.Error("it sleeps on")
		}
	})
	t.Run("does not wait with a whole statement, and takes no more than that", func(t *testing.T) {
		q := queue(5, maxFinish+1)
		q.last = start
		if group, wait := q.take(start, nil); len(group) != maxFinish || wait != 0 {
			t.Errorf("took %d and waits for %s", len(group), wait)
		}
		if len(q.waiting) != 1 {
			t.Errorf("%d are left", len(q.waiting))
		}
	})
}
