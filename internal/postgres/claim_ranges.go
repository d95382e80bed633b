package postgres

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/kappagraph/kappa/work"
)

// claimArgs returns the arguments of claimSQL.
func claimArgs(r work.ClaimRequest) []any {
	in := rangesOf(r)
	ceiling := r.Ceiling
	if ceiling == 0 {
		ceiling = math.MaxInt32
	}
	return []any{
		r.Lane, r.TokenFloor, r.Most, in.types, in.highest, in.lowest,
		in.afterTypes, in.afterPriorities, in.afterCreated, in.afterIDs, r.Worker, r.Spare, ceiling,
		in.highestOwner, in.withinTypes, served(r.Served), in.afterOwners, in.withinPriorities, in.withinHighest, in.withinLowest,
	}
}

// served returns owners as the statement takes them.
func served(owners []int) []int32 {
	list := make([]int32, len(owners))
	for i, id := range owners {
		list[i] = int32(id)
	}
	return list
}

// claimRanges says which parts of the claim index to search, as claimSQL takes it.
type claimRanges struct {
	// Ranges of priorities; the first one begins with an owner.
	types           []string
	highest, lowest []int16
	highestOwner    []int32

	// Ranges of owners within a priority.
	withinTypes                 []string
	withinPriorities            []int16
	withinHighest, withinLowest []int32

	// What comes after a position.
	afterTypes      []string
	afterPriorities []int16
	afterOwners     []int32
	afterCreated    []time.Time
	afterIDs        []string
}

// rangesOf returns the ranges to search for jobs of each type: after each position that
// the request has, and in the ranges of priorities and owners between them.
func rangesOf(r work.ClaimRequest) claimRanges {
	var in claimRanges
	for _, t := range r.Types {
		priority, owner := int16(work.MaxPriority), int64(math.MaxInt32) // where the next range begins
		for _, after := range positionsOf(r.After, t) {
			at := int16(after.Priority)
			in.afterTypes = append(in.afterTypes, t)
			in.afterPriorities = append(in.afterPriorities, at)
			in.afterOwners = append(in.afterOwners, int32(after.UserID))
			in.afterCreated = append(in.afterCreated, after.CreatedAt)
			in.afterIDs = append(in.afterIDs, after.JobID)
			if at < priority {
				in.add(t, priority, owner, at+1)
				owner = math.MaxInt32
			}
			in.addWithin(t, at, owner, int64(after.UserID)+1)
			priority, owner = at, int64(after.UserID)-1
		}
		in.add(t, priority, owner, work.MinPriority)
	}
	return in
}

// add adds a range of priorities, unless it is empty.
func (in *claimRanges) add(jobType string, highest int16, owner int64, lowest int16) {
	if highest < lowest {
		return
	}
	in.types = append(in.types, jobType)
	in.highest, in.highestOwner = append(in.highest, highest), append(in.highestOwner, int32(owner))
	in.lowest = append(in.lowest, lowest)
}

// addWithin adds a range of owners within a priority, unless it is empty.
func (in *claimRanges) addWithin(jobType string, priority int16, highest, lowest int64) {
	if highest < lowest {
		return
	}
	in.withinTypes, in.withinPriorities = append(in.withinTypes, jobType), append(in.withinPriorities, priority)
	in.withinHighest, in.withinLowest = append(in.withinHighest, int32(highest)), append(in.withinLowest, int32(lowest))
}

// positionsOf returns the positions of a type, in the order of the index.
func positionsOf(all []work.ClaimPosition, jobType string) []work.ClaimPosition {
	own := slices.DeleteFunc(slices.Clone(all), func(p work.ClaimPosition) bool { return p.JobType != jobType })
	slices.SortFunc(own, func(a, b work.ClaimPosition) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(b.UserID, a.UserID))
	})
	return own
}
