package lanes

import (
	"testing"
	"time"

	"github.com/kappagraph/kappa/work"
)

func TestBacklog(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	position := func(priority int, second int, id string) work.ClaimPosition {
		return work.ClaimPosition{JobType: "work", Priority: priority, CreatedAt: start.Add(time.Duration(second) * time.Second), JobID: id}
	}
	took := func(positions ...work.ClaimPosition) work.ClaimBatch {
		batch := work.ClaimBatch{TokenFloor: 7}
		for _, p := range positions {
			batch.Claims = append(batch.Claims, work.Claim{JobType: p.JobType, Position: p})
		}
		return batch
	}
	t.Run("scans everything while that is quick", func(t *testing.T) {
		var b backlog
		for i := range 3 {
			at := start.Add(time.Duration(i) * time.Millisecond)
			if !b.full(at) {
				t.Fatalf("claim %d is no full scan", i)
			}
			r := b.request(work.ClaimRequest{}, true)
			for _, p := range r.After {
				if p.JobID != "" || !p.CreatedAt.IsZero() {
					t.Fatalf("claim %d begins after %v", i, p)
				}
			}
			b.claimed(took(position(0, i, "a")), true, 1, at, at.Add(time.Millisecond))
		}
	})
	t.Run("begins where the last claim ended after a slow one, and scans everything again in time", func(t *testing.T) {
		var b backlog
		b.claimed(took(position(0, 1, "a"), position(0, 1, "b"), position(5, 9, "c")), true, 4, start, start.Add(20*time.Millisecond))
		at := start.Add(30 * time.Millisecond)
		if b.full(at) {
			t.Fatal("the next claim is a full scan")
		}
		r := b.request(work.ClaimRequest{}, false)
		got := map[int]string{}
		for _, p := range r.After {
			got[p.Priority] = p.JobID
		}
		if len(r.After) != 2 || got[0] != "b" || got[5] != "c" || r.TokenFloor != 7 {
			t.Errorf("the next claim is %+v", r)
		}
		b.claimed(took(position(0, 0, "older")), false, 4, at, at.Add(time.Second))
		for _, p := range b.request(work.ClaimRequest{}, false).After {
			if p.JobID == "older" {
				t.Errorf("the place went back to %v", p)
			}
		}
		if full := start.Add(100 * time.Millisecond); b.full(full.Add(-1)) || !b.full(full) {
			t.Errorf("the next full scan is due at %s", b.fullDue)
		}
	})
	t.Run("begins after a full scan where that has left something behind", func(t *testing.T) {
		var b backlog
		b.claimed(took(position(5, 9, "far"), position(0, 9, "on")), true, 4, start, start.Add(time.Millisecond))
		b.claimed(took(position(5, 1, "came back")), true, 1, start, start.Add(20*time.Millisecond))
		got := map[int]string{}
		for _, p := range b.request(work.ClaimRequest{}, false).After {
			got[p.Priority] = p.JobID
		}
		if len(got) != 2 || got[5] != "came back" || got[0] != "" {
			t.Errorf("with more to claim the next claim begins after %v", got)
		}
		b.claimed(took(position(5, 2, "last")), true, 2, start, start.Add(20*time.Millisecond))
		b.claimed(took(), true, 2, start, start.Add(20*time.Millisecond))
		for _, p := range b.request(work.ClaimRequest{}, false).After {
			if p.Priority == 5 && p.JobID != "last" {
				t.Errorf("a scan that found nothing more sets the place to %v", p)
			}
		}
	})
	t.Run("is blind for a second at most", func(t *testing.T) {
		var b backlog
		b.claimed(took(), true, 1, start, start.Add(time.Minute))
		if !b.full(start.Add(time.Minute + longestPartial)) {
			t.Errorf("the next full scan is due at %s", b.fullDue)
		}
	})
}
