package main

import (
	"fmt"
	"slices"
	"time"
)

// figures are the numbers of a campaign.
type figures struct {
	Seed          uint64
	Rounds        int
	OnAll         int // of them, those whose servers all ran the lanes
	Workers       int // most identities that claimed jobs in a round
	Jobs          int // rows
	Unsure        int // submissions whose answer was lost
	Completed     int
	Cancelled     int
	Quarantined   int
	Claims        int
	Repeated      int // attempts that went back to approved
	Pairs         int // of a fault and a job that ran under it: the bound of the repetitions
	Released      int
	Spared        int // attempts that went back uncounted, beside a suspect
	Suspects      int // claims of jobs that one more crash would quarantine
	StepsRepeated int
	Faults        map[faultKind]int
	Places        map[string]int // at which servers broke
	Logs          logCounts
	Samples       int
	MostInUse     int
	Skips         int              // due instants that were answered by a skip
	Rights        map[rightEnd]int // rights that ended under the eyes of their principals
	Refused       int              // answers that somebody may not have what he asked for
	Extents       map[string]int   // how much the invariants were held against
	durations
	Took, Drained, Judged time.Duration // the whole; after the last fault; the checks
	Histories             []string      // of jobs that are named by violations
	Usage                 *usage        // of a soak
}

// durations are how long the product took.
type durations struct {
	Reclaim    percentiles // from the last heartbeat of a dead worker to the rescue of its job
	Killed     percentiles // from the end of a leader's process to the next term
	Terminated percentiles // from the end of a leader's session to the next term
	Alone      percentiles // of both, those during which no other fault lasted
	Cancel     percentiles // from the request to cancel a running job to its end, in calm
	Resume     percentiles // from PostgreSQL's being ready again to the next claim
	Exit       percentiles // from SIGTERM to the end of the process
	Shown      percentiles // from the end of a right to the last that was shown of it
}

// percentiles are durations in order of size.
type percentiles []time.Duration

func (p percentiles) at(share float64) time.Duration {
	if len(p) == 0 {
		return 0
	}
	return p[min(len(p)-1, int(share*float64(len(p))))].Round(time.Millisecond)
}

// String shows the middle, the worst hundredth and the number.
func (p percentiles) String() string {
	return fmt.Sprintf("p50 %s, p99 %s (%d)", p.at(0.5), p.at(0.99), len(p))
}

// with returns the durations of both.
func (p percentiles) with(o percentiles) percentiles {
	return slices.Sorted(slices.Values(append(slices.Clone(p), o...)))
}

// add adds the figures of another campaign.
func (f *figures) add(o figures) {
	f.Rounds++
	f.OnAll, f.Workers = f.OnAll+o.OnAll, max(f.Workers, o.Workers)
	f.Jobs, f.Unsure, f.Completed, f.Cancelled, f.Quarantined = f.Jobs+o.Jobs, f.Unsure+o.Unsure, f.Completed+o.Completed, f.Cancelled+o.Cancelled, f.Quarantined+o.Quarantined
	f.Claims, f.Repeated, f.Pairs, f.Released, f.StepsRepeated = f.Claims+o.Claims, f.Repeated+o.Repeated, f.Pairs+o.Pairs, f.Released+o.Released, f.StepsRepeated+o.StepsRepeated
	f.Spared, f.Suspects = f.Spared+o.Spared, f.Suspects+o.Suspects
	f.Faults, f.Extents = sums(f.Faults, o.Faults), sums(f.Extents, o.Extents)
	f.Places = sums(f.Places, o.Places)
	f.Rights, f.Refused = sums(f.Rights, o.Rights), f.Refused+o.Refused
	f.Logs.add(o.Logs)
	f.Samples, f.MostInUse, f.Skips = f.Samples+o.Samples, max(f.MostInUse, o.MostInUse), f.Skips+o.Skips
	f.Took, f.Drained, f.Judged = f.Took+o.Took, f.Drained+o.Drained, f.Judged+o.Judged
	f.durations.add(o.durations)
	f.Histories = append(f.Histories, o.Histories...)
	if o.Usage != nil {
		f.Usage = o.Usage
	}
}

// add adds the durations of another campaign.
func (d *durations) add(o durations) {
	d.Reclaim, d.Killed, d.Terminated, d.Alone = d.Reclaim.with(o.Reclaim), d.Killed.with(o.Killed), d.Terminated.with(o.Terminated), d.Alone.with(o.Alone)
	d.Cancel, d.Resume, d.Exit = d.Cancel.with(o.Cancel), d.Resume.with(o.Resume), d.Exit.with(o.Exit)
	d.Shown = d.Shown.with(o.Shown)
}

// sums adds two counts by name.
func sums[K comparable](a, b map[K]int) map[K]int {
	sum := map[K]int{}
	for _, m := range []map[K]int{a, b} {
		for k, n := range m {
			sum[k] += n
		}
	}
	return sum
}
