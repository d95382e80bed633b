package work

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestQuantiles compares the quantiles of random durations, in parts that are added, with
// those of the durations themselves.
func TestQuantiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		all := make([]time.Duration, rapid.IntRange(1, 300).Draw(t, "n"))
		sum, part := Durations{}, Durations{}
		for i := range all {
			all[i] = time.Duration(math.Exp(random.Float64()*20-6) * float64(time.Second)) // 2.5 ms to 14 days
			part[BucketOf(all[i])]++
			if random.IntN(10) == 0 {
				sum.Add(part)
				part = Durations{}
			}
		}
		sum.Add(part)
		slices.Sort(all)
		for _, q := range []float64{0, 0.5, 0.95, 0.99, 1} {
			want := all[max(0, int(math.Ceil(q*float64(len(all))))-1)]
			if got := sum.Quantile(q); got.Seconds() < want.Seconds()/1.1 || got.Seconds() > want.Seconds()*1.1 {
				t.Errorf("quantile %v of %d is %s, want %s", q, len(all), got, want)
			}
		}
		if n := sum.Count(); n != int64(len(all)) {
			t.Errorf("%d of %d are counted", n, len(all))
		}
	})
	if none := (Durations{}).Quantile(0.5); none != 0 {
		t.Errorf("the median of nothing is %s", none)
	}
	for d, want := range map[time.Duration]int{-time.Second: shortestBucket, 0: shortestBucket, time.Nanosecond: shortestBucket, time.Second: 0, 2 * time.Second: 4, 2*time.Second + 1: 5, math.MaxInt64: longestBucket} {
		if got := BucketOf(d); got != want {
			t.Errorf("%s is in bucket %d, want %d", d, got, want)
		}
	}
}
