package work

import (
	"cmp"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// StatsKept is for how long it is kept how long attempts waited and ran.
const StatsKept = 24 * time.Hour

// StatsPoints is into how many parts the time is cut of which attempts are counted.
const StatsPoints = 30

// RemoteLane stands for a lane where the attempts of remote workers are counted.
const RemoteLane = "(remote)"

// EndedAttempt is an attempt in a lane, or of a remote worker, that has ended.
type EndedAttempt struct {
	Lane, JobType string
	Outcome       AttemptOutcome
	Waited        time.Duration // since the job could have been claimed
	Ran           time.Duration
}

// Counted reports whether an attempt counts: a reservation that came to nothing is none.
func (a EndedAttempt) Counted() bool {
	switch a.Outcome {
	case RunExpired, RunReturned:
		return false
	}
	return true
}

// AttemptTimes is what attempts at jobs of one type in one lane have taken that have ended
// within some time, on one server or on all of them.
type AttemptTimes struct {
	Lane, JobType string
	At            time.Time // when it was told, on the database's clock
	Ended         map[AttemptOutcome]int64
	Waited, Ran   Durations
}

// StatsFilter selects what attempts are counted.
type StatsFilter struct {
	Since         time.Duration // up to StatsKept
	Lane, JobType string        // "" is all
}

// Validate reports every rule that f breaks.
func (f StatsFilter) Validate() error {
	var r check.Rules
	if f.Since < time.Minute || f.Since > StatsKept {
		r.Add("query", "since", "must be a duration from 1m to 24h, such as 5m or 1h")
	}
	r.Add("query", "lane", check.OptionalName(f.Lane, maxFilterText))
	r.Add("query", "job_type", check.OptionalName(f.JobType, check.MaxJobType))
	return r.Err()
}

// AttemptStats is how long attempts waited and ran.
type AttemptStats struct {
	From         kappa.Time    `json:"from"`
	To           kappa.Time    `json:"to"`
	PointSeconds float64       `json:"point_seconds" doc:"How long each point of a series is"`
	Stats        []AttemptStat `json:"stats" doc:"By lane and type, in their order"`
}

// AttemptStat is how long attempts at jobs of a type in a lane waited and ran.
type AttemptStat struct {
	Lane    string                   `json:"lane"`
	JobType string                   `json:"job_type"`
	Ended   map[AttemptOutcome]int64 `json:"ended" doc:"How many attempts ended how: completed, failed, cancelled, retried, released"`
	Wait    Quantiles                `json:"wait" doc:"Since a job could have been claimed"`
	Run     Quantiles                `json:"run"`
	Series  []int64                  `json:"series" doc:"Attempts that ended in each of 30 parts of the time, the oldest first"`
}

// Quantiles of durations, in seconds, each at most 10 % from what it is.
type Quantiles struct {
	P50 float64 `json:"p50_seconds"`
	P95 float64 `json:"p95_seconds"`
	P99 float64 `json:"p99_seconds"`
}

func quantilesOf(d Durations) Quantiles {
	return Quantiles{d.Quantile(0.5).Seconds(), d.Quantile(0.95).Seconds(), d.Quantile(0.99).Seconds()}
}

// NewAttemptStats sums up what was told between two times, the second of which is now.
func NewAttemptStats(from, to time.Time, told []AttemptTimes) AttemptStats {
	point := to.Sub(from) / StatsPoints
	stats := AttemptStats{From: kappa.At(from), To: kappa.At(to), PointSeconds: point.Seconds(), Stats: []AttemptStat{}}
	sums := map[[2]string]*AttemptTimes{}
	series := map[[2]string][]int64{}
	for _, t := range told {
		key := [2]string{t.Lane, t.JobType}
		sum := sums[key]
		if sum == nil {
			sum = &AttemptTimes{Lane: t.Lane, JobType: t.JobType, Ended: map[AttemptOutcome]int64{}, Waited: Durations{}, Ran: Durations{}}
			sums[key], series[key] = sum, make([]int64, StatsPoints)
		}
		sum.Waited.Add(t.Waited)
		sum.Ran.Add(t.Ran)
		for outcome, n := range t.Ended {
			sum.Ended[outcome] += n
			series[key][min(max(int(t.At.Sub(from)/max(point, 1)), 0), StatsPoints-1)] += n
		}
	}
	for key, sum := range sums {
		stats.Stats = append(stats.Stats, AttemptStat{
			Lane: sum.Lane, JobType: sum.JobType, Ended: sum.Ended, Wait: quantilesOf(sum.Waited), Run: quantilesOf(sum.Ran), Series: series[key],
		})
	}
	slices.SortFunc(stats.Stats, func(a, b AttemptStat) int {
		return cmp.Or(cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.JobType, b.JobType))
	})
	return stats
}
