package main

import (
	"testing"
	"time"

	"github.com/kappagraph/kappa/work"
)

// TestReplayQueue gives two jobs of one priority, of which a claim takes the
// younger one.
func TestReplayQueue(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	end := start.Add(time.Hour)
	for _, c := range []struct {
		name   string
		change func(older, claim *queueChange)
		late   time.Duration // when not 0, a server had claimed beyond the older job so long before the claim
		found  int
	}{
		{"that the older one is left is found", func(_, _ *queueChange) {}, 0, 1},
		{"one that the claim could not see may be left", func(older, _ *queueChange) { older.TX = 14 }, 0, 0},
		{"one whose approval was not committed may be left", func(_, claim *queueChange) { claim.Saw = "10:20:10" }, 0, 0},
		{"one that another transaction may hold may be left", func(older, _ *queueChange) { older.NextBegan = &start }, 0, 0},
		{"one that nobody ever took is found", func(older, _ *queueChange) { older.NextBegan = nil }, 0, 1},
		{"one that is not due may be left", func(older, _ *queueChange) { older.Due = false }, 0, 0},
		{"one of a lower priority may be left", func(older, _ *queueChange) { older.Priority = -1 }, 0, 0},
		{"one of another type may be left", func(older, _ *queueChange) { older.Type = work.TypeSleep }, 0, 0},
		{"one that was claimed before may be left for a while", func(older, claim *queueChange) {
			older.Was, claim.At = work.StatusProcessing, older.At.Add(lateMost)
		}, 0, 0},
		{"one that was claimed before is found after a while", func(older, claim *queueChange) {
			older.Was, claim.At = work.StatusProcessing, older.At.Add(lateMost+1)
		}, 0, 1},
		{"one that comes in late may be left for a while", func(_, _ *queueChange) {}, lateMost, 0},
		{"one that came in late is found after a while", func(_, _ *queueChange) {}, lateMost + 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			older := queueChange{Job: "job_a", Status: work.StatusApproved, Type: work.TypeNoop, CreatedAt: start, Due: true, At: start, TX: 10, NextBegan: &end}
			younger := older
			younger.Job, younger.CreatedAt, younger.TX = "job_b", start.Add(time.Second), 11
			claim := younger
			claim.Status, claim.TX, claim.Saw, claim.At = work.StatusProcessing, 16, "13:14:", start.Add(c.late)
			c.change(&older, &claim)
			changes := []queueChange{older, younger, claim}
			if c.late != 0 {
				before := claim
				before.Job, before.CreatedAt, before.TX = "job_c", start.Add(time.Minute), 12
				changes = append([]queueChange{before}, changes...)
			}
			found, err := replayQueue(changes)
			check(t, err)
			if len(found) != c.found {
				t.Errorf("found %v", found)
			}
		})
	}
	t.Run("what is no snapshot is an error", func(t *testing.T) {
		t.Parallel()
		for _, text := range []string{"", "1:2", "1:x:", "1:2:3,"} {
			if _, err := parseSnapshot(text); err == nil {
				t.Errorf("%q is read", text)
			}
		}
	})
}
