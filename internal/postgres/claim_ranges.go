package postgres

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
)

// claimArgs returns the arguments of claimSQL.
func claimArgs(r kappa.ClaimRequest) []any {
	in := rangesOf(r)
	ceiling := r.Ceiling
	if ceiling == 0 {
		ceiling = math.MaxInt32
	}
	return []any{
		r.Lane, r.TokenFloor, r.Most, in.types, in.highest, in.lowest,
		in.afterTypes, in.afterPriorities, in.afterCreated, in.afterIDs, r.Worker, r.Spare, ceiling,
	}
}

// claimRanges says which parts of the claim index to search, as claimSQL takes it.
type claimRanges struct {
	// Whole ranges of priorities.
	types           []string
	highest, lowest []int16

	// What comes after a position.
	afterTypes      []string
	afterPriorities []int16
	afterCreated    []time.Time
	afterIDs        []string
}

// rangesOf returns the ranges to search for jobs of each type: after each position that
// the request has, and in the ranges of priorities between them.
func rangesOf(r kappa.ClaimRequest) claimRanges {
	var in claimRanges
	for _, t := range r.Types {
		highest := int16(kappa.MaxPriority)
		for _, after := range positionsOf(r.After, t) {
			in.afterTypes = append(in.afterTypes, t)
			in.afterPriorities = append(in.afterPriorities, int16(after.Priority))
			in.afterCreated = append(in.afterCreated, after.CreatedAt)
			in.afterIDs = append(in.afterIDs, after.JobID)
			in.add(t, highest, int16(after.Priority)+1)
			highest = int16(after.Priority) - 1
		}
		in.add(t, highest, kappa.MinPriority)
	}
	return in
}

// add adds a range of priorities, unless it is empty.
func (in *claimRanges) add(jobType string, highest, lowest int16) {
	if highest < lowest {
		return
	}
	in.types = append(in.types, jobType)
	in.highest = append(in.highest, highest)
	in.lowest = append(in.lowest, lowest)
}

// positionsOf returns the positions of a type, highest priority first.
func positionsOf(all []kappa.ClaimPosition, jobType string) []kappa.ClaimPosition {
	own := slices.DeleteFunc(slices.Clone(all), func(p kappa.ClaimPosition) bool { return p.JobType != jobType })
	slices.SortFunc(own, func(a, b kappa.ClaimPosition) int { return cmp.Compare(b.Priority, a.Priority) })
	return own
}
