package postgres

import (
	"cmp"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// claimParams says where in the claim index to look for jobs of each type: after
// each position that the request has, and in the ranges of priorities between
// them.
func claimParams(r kappa.ClaimRequest) db.JobClaimParams {
	p := db.JobClaimParams{Lane: r.Lane, Worker: r.Worker, MaxJobs: int32(r.Most), TokenFloor: r.TokenFloor}
	for _, t := range r.Types {
		highest := int16(kappa.MaxPriority)
		for _, after := range positionsOf(r.After, t) {
			p.AfterTypes = append(p.AfterTypes, t)
			p.AfterPriorities = append(p.AfterPriorities, int16(after.Priority))
			p.AfterCreated = append(p.AfterCreated, after.CreatedAt)
			p.AfterIds = append(p.AfterIds, after.JobID)
			addRange(&p, t, highest, int16(after.Priority)+1)
			highest = int16(after.Priority) - 1
		}
		addRange(&p, t, highest, kappa.MinPriority)
	}
	return p
}

// positionsOf returns the positions of a type, highest priority first.
func positionsOf(all []kappa.ClaimPosition, jobType string) []kappa.ClaimPosition {
	own := slices.DeleteFunc(slices.Clone(all), func(p kappa.ClaimPosition) bool { return p.JobType != jobType })
	slices.SortFunc(own, func(a, b kappa.ClaimPosition) int { return cmp.Compare(b.Priority, a.Priority) })
	return own
}

// addRange adds a range of priorities, unless it is empty.
func addRange(p *db.JobClaimParams, jobType string, highest, lowest int16) {
	if highest < lowest {
		return
	}
	p.RangeTypes = append(p.RangeTypes, jobType)
	p.RangeHighest = append(p.RangeHighest, highest)
	p.RangeLowest = append(p.RangeLowest, lowest)
}
