package kappa

import (
	"fmt"
	"testing"
	"time"
)

func TestNewJobID(t *testing.T) {
	t.Parallel()
	t.Run("has its form, and rises", func(t *testing.T) {
		t.Parallel()
		last := NewJobID()
		for range 10_000 {
			id := NewJobID()
			if !IsJobID(id) || id <= last {
				t.Fatalf("%s comes after %s", id, last)
			}
			last = id
		}
	})
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return at }
	t.Run("rises with the seconds, and counts within one", func(t *testing.T) {
		t.Parallel()
		now := at
		ids := jobIDs{now: func() time.Time { return now }}
		first := ids.next()
		if second := ids.next(); second != first+1 {
			t.Errorf("%x comes after %x in the same second", second, first)
		}
		now = now.Add(time.Second)
		if later := ids.next(); later>>jobIDCountBits != first>>jobIDCountBits+1 {
			t.Errorf("%x comes a second after %x", later, first)
		}
		now = now.Add(-time.Minute) // a clock that was put back
		if earlier := ids.next(); earlier >= first {
			t.Errorf("%x comes a minute before %x", earlier, first)
		}
	})
	t.Run("of two servers in one second are not the same", func(t *testing.T) {
		t.Parallel()
		const each = 100
		seen := map[uint64]int{}
		double := 0
		for server := range 10 {
			ids := jobIDs{now: clock}
			for range each {
				id := ids.next()
				if _, ok := seen[id]; ok {
					double++
				}
				seen[id] = server
			}
		}
		// Any two servers collide with a probability of 2 × 100 in 2 million.
		if double > 2*each {
			t.Errorf("%d of %d ids are doubles", double, 10*each)
		}
	})
	t.Run("keeps its form when the seconds come round", func(t *testing.T) {
		t.Parallel()
		round := int64(1) << jobIDSecondBits
		before := jobIDs{now: func() time.Time { return time.Unix(14*round-1, 0) }, second: uint64(14*round - 1), last: 1<<jobIDBits*14 - 1}
		if id := before.next(); !IsJobID(fmt.Sprintf("job_%012x", id)) || id != 0 {
			t.Errorf("after the last id of a round comes %x", id)
		}
	})
}
