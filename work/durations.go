package work

import (
	"maps"
	"math"
	"slices"
	"time"
)

// Durations counts durations in buckets of which each is 19 % longer than the one before:
// bucket i holds what is longer than 2^((i-1)/4) seconds and at most 2^(i/4) seconds, as the
// native histograms of Prometheus with the schema 2 do. It maps the buckets that are not
// empty to their counts.
type Durations map[int]int64

// The shortest and the longest bucket: up to a millisecond, and from 48 days on.
const (
	shortestBucket = -40
	longestBucket  = 88
)

// BucketOf returns the bucket that holds a duration.
func BucketOf(d time.Duration) int {
	if d <= 0 {
		return shortestBucket
	}
	return min(max(int(math.Ceil(4*math.Log2(d.Seconds()))), shortestBucket), longestBucket)
}

// Add counts what others have counted too.
func (d Durations) Add(others Durations) {
	for bucket, n := range others {
		d[bucket] += n
	}
}

// Count is how many durations were counted.
func (d Durations) Count() (n int64) {
	for _, of := range d {
		n += of
	}
	return n
}

// Quantile returns the duration that a share q of all, 0 to 1, does not exceed: the middle of
// its bucket, which is at most 10 % from what it is. It is 0 when nothing was counted.
func (d Durations) Quantile(q float64) time.Duration {
	rank := max(1, int64(math.Ceil(q*float64(d.Count()))))
	for _, bucket := range slices.Sorted(maps.Keys(d)) {
		if rank -= d[bucket]; rank <= 0 {
			return time.Duration(math.Exp2((float64(bucket)-0.5)/4) * float64(time.Second))
		}
	}
	return 0
}
