package work_test

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

func TestLaneUpdate(t *testing.T) {
	n := func(v int) *int { return &v }
	for name, c := range map[string]struct {
		update work.LaneUpdate
		broken []string // nil = valid
	}{
		"the lowest values":  {update: work.LaneUpdate{MaxSlots: n(0), PollIntervalMS: n(500), StaleTimeoutMinutes: n(5)}},
		"the highest values": {update: work.LaneUpdate{MaxSlots: n(16), PollIntervalMS: n(120_000), StaleTimeoutMinutes: n(1440)}},
		"nothing":            {broken: []string{"No fields to update"}},
		"below":              {update: work.LaneUpdate{MaxSlots: n(-1)}, broken: []string{"max_slots: must be at least 0, got -1"}},
		"everything wrong at once": {
			update: work.LaneUpdate{MaxSlots: n(17), PollIntervalMS: n(499), StaleTimeoutMinutes: n(1441)},
			broken: []string{"max_slots: must be at most 16, got 17", "poll_interval_ms: must be at least 500, got 499", "stale_timeout_minutes: must be at most 1440, got 1441"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.update.Validate(work.DefaultMaxLaneSlots)
			if c.broken == nil {
				if err != nil {
					t.Errorf("got %v", err)
				}
				return
			}
			if kappa.ErrorCode(err) != kappa.CodeInvalid {
				t.Fatalf("got %v", err)
			}
			if got := kappa.ErrorMessage(err); got != strings.Join(c.broken, "; ") {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestCheckCoverage(t *testing.T) {
	lanes := []work.Lane{
		{Name: "a", JobTypes: []string{"one", "two"}, Enabled: true, MaxSlots: 1},
		{Name: "b", JobTypes: []string{"two"}, Enabled: true, MaxSlots: 1},
		{Name: "c", JobTypes: []string{"three"}, MaxSlots: 1},
		{Name: "d", JobTypes: []string{"five"}, Enabled: true},
	}
	got := work.CheckCoverage([]string{"one", "two", "three", "four", "five"}, lanes)
	want := []string{
		`"two" is in several lanes: a, b`, `"three" is only in a lane that is disabled or has no slots, c`,
		`"four" is in no lane`, `"five" is only in a lane that is disabled or has no slots, d`,
	}
	if len(got) != len(want) {
		t.Fatalf("got %q", got)
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("warning %d is %q, want it to say %q", i, got[i], want[i])
		}
	}
}
