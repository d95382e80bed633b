package graph

import (
	"context"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// nhopQuery asks for the concepts around some seeds.
type nhopQuery struct {
	seeds []int
	hops  int      // 1 to 5
	types []string // only these relationship types; empty = all
	most  int      // concepts returned, the nearest first; 0 = all
	// workers is how many others may help to read the tables; 0 = as many as the
	// settings say, below that none.
	workers int
}

// ball is the answer to an nhopQuery: the concepts within some hops of the
// seeds, without the seeds, nearest first and then by number.
type ball struct {
	concepts []int
	ends     []int // concepts[:ends[h]] is what is within h + 1 hops
	partial  bool  // some of it could not be read: what is missing is not only what is beyond nhopQuery.most
	questions.Completeness

	asked []int // concepts that each hop was asked about
	work  reads
}

// cut leaves the nearest concepts of b, at most the given number of them unless
// that is 0, and says so.
func (b *ball) cut(most int) {
	if most == 0 || len(b.concepts) <= most {
		return
	}
	b.concepts = b.concepts[:most]
	for h := range b.ends {
		b.ends[h] = min(b.ends[h], most)
	}
	b.sayCut()
}

func (b *ball) sayCut() {
	b.Complete, b.Truncated = false, true
	b.Missing = joined(b.Missing, "more concepts are within reach than were asked for")
}

// nhop returns the concepts within q.hops relationships of the nearest of
// q.seeds, in either direction: from memory when all the seeds are known there,
// otherwise from the tables. When a hop may take only so many concepts, which of them say most
// is known from the relationships, and walks have to search.
func (v view) nhop(ctx context.Context, q nhopQuery) (ball, error) {
	if v.perHop > 0 {
		return v.nhopByWalk(ctx, q)
	}
	if v.memory.knows(q.seeds) {
		return v.memory.nhop(ctx, q)
	}
	return v.nhopOnTables(ctx, q)
}
