package work

import "time"

// Sweep is what the leader found and did in one pass over the queue.
type Sweep struct {
	Rescued map[string]Status // jobs of dead workers, and their status now
	Due     []string          // types of the jobs that became due
	Next    time.Duration     // until the next job becomes due, at most what was asked
	Waiting []string          // types of which a job could be claimed then
	Overdue bool              // reservations of remote workers are to be taken back
}
