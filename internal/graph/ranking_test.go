package graph

import "testing"

// TestOlderConceptFirst wants the concept that has been there longer before another one of
// the same score, and not the one whose id is first in the alphabet.
func TestOlderConceptFirst(t *testing.T) {
	r := ranking{}
	r.add(1134, "job_1134", 1)
	r.add(159, "job_159", 1)
	r.add(7, "lane_7", 0.9)
	if list := r.from(0.5); len(list) != 3 || list[0].conceptID != "job_159" || list[1].conceptID != "job_1134" {
		t.Errorf("%+v", list)
	}
}
