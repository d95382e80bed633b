package work

// Histogram is how many durations were at most each of some bounds.
type Histogram struct {
	Count   uint64
	Sum     float64            // seconds
	Buckets map[float64]uint64 // by bound in seconds; each counts those before it too
}

// RemoteFigures are the figures of the remote workers of one server.
type RemoteFigures struct {
	Workers map[[2]string]int // by state and profile
	Slots   map[string]int    // max, active and reserved
	Claims  map[string]int64  // by result

	Wakeups, Late, Stale, Expired int64

	ClaimSeconds Histogram
	StartSeconds Histogram // from the approval to the confirmation
	Replies      map[string]Histogram
}
