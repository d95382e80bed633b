package questions

import (
	"context"
	"strconv"
	"time"

	"github.com/kappagraph/kappa/internal/check"
)

// MaxSeeds is how many concepts a question may start from.
const MaxSeeds = 100

// WithinQuery asks for the concepts around some seeds.
type WithinQuery struct {
	SeedIDs  []string // 1 to 100; the same one may come twice
	MaxHops  int      // 1 to 5
	Types    []string // only these relationship types; empty = all
	Limit    int      // concepts at most, the nearest first; 0 = all
	OnTables bool     // read from the tables even when they are in memory, as a check
}

// Validate reports every rule that q breaks.
func (q WithinQuery) Validate() error {
	var r check.Rules
	r.Add("body", "seed_ids", check.Range(len(q.SeedIDs), 1, MaxSeeds))
	for i, id := range q.SeedIDs {
		r.Add("body", "seed_ids["+strconv.Itoa(i)+"]", check.ConceptID(id))
	}
	r.Add("body", "max_hops", check.Range(q.MaxHops, 1, MaxRelatedDepth))
	r.Add("body", "relationship_types", check.Range(len(q.Types), 0, check.MaxTypes))
	for i, t := range q.Types {
		r.Add("body", "relationship_types["+strconv.Itoa(i)+"]", check.Name(t, check.MaxTypeName))
	}
	r.Add("body", "limit", check.Range(q.Limit, 0, check.MaxOffset))
	return r.Err()
}

// Within is the answer to a WithinQuery: the numbers of the concepts within some
// hops of the seeds, without the seeds, nearest first and then by number.
type Within struct {
	Numbers   []int
	Distances []int // of Numbers, in hops from the nearest seed
	Completeness
}

// NeighborQuery asks for what is one relationship away from some concepts, in
// either direction.
type NeighborQuery struct {
	Concepts []int32  // by number
	Types    []string // only these relationship types; empty = all
	Most     int      // ends at most
	Within   time.Duration
}

// Neighbors answers a NeighborQuery: the far ends of the relationships, one for
// each, so a concept may come several times. It ends within q.Within, on the
// database's side too; the error of that wraps context.DeadlineExceeded.
type Neighbors func(ctx context.Context, q NeighborQuery) ([]int32, error)

// BetweenQuery asks for the relationships from any of some concepts to any of some
// others, in either direction.
type BetweenQuery struct {
	From, To []int32  // by number
	Types    []string // only these relationship types; empty = all
	Around   int      // relationships that From have, with any concept; 0 = not known
}

// Beside calls read with Neighbors of one snapshot of the graph on a connection of
// its own, and returns its error. It may be called from many goroutines.
type Beside func(ctx context.Context, read func(n Neighbors) error) error
