package graph

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// reserved is the share of a question's time that is left for what comes after its
// levels: ranking, and the text of what is returned.
const reserved = 0.2

// nhopOnTables takes level by level from the tables, a query for a narrow one and
// several for a wide one. What could not be read in time, or at all, is left out,
// and the answer says so. It fails when nothing could be read; the error wraps
// errNothingRead when there was no time for it.
func (v view) nhopOnTables(ctx context.Context, q nhopQuery) (ball, error) {
	x := newExpansion(ctx, q, v.tables.settings())
	for hop := 1; hop <= q.hops && x.goesOn(); hop++ {
		helped := 0
		chunks, err := v.tables.level(ctx, v.Snapshot, levelQuery{concepts: x.frontier, types: typeNames(q.types), workers: q.workers, until: x.until, helped: &helped})
		if err != nil {
			return ball{}, err
		}
		x.count(len(x.frontier), readsOf(chunks, helped))
		if err := x.add(hop, chunks); err != nil {
			return ball{}, err
		}
	}
	return x.ball(), nil
}

// expansion is an n-hop search on its way.
type expansion struct {
	*levels
	query nhopQuery

	seen     bits
	frontier []int32   // the last level, ascending
	taken    [][]int32 // those before it, and it, but not the seeds
	found    int       // concepts in taken
}

func newExpansion(ctx context.Context, q nhopQuery, set knowledge.GraphSettings) *expansion {
	x := &expansion{levels: newLevels(ctx, q.hops, set), query: q}
	for _, s := range distinct(q.seeds) {
		if x.seen.add(int32(s)) {
			x.frontier = append(x.frontier, int32(s))
		}
	}
	slices.Sort(x.frontier)
	return x
}

// goesOn reports whether another level is wanted.
func (x *expansion) goesOn() bool {
	return len(x.frontier) > 0 && !x.over() && (x.query.most == 0 || x.found <= x.query.most)
}

// add takes the level that the chunks lead to. It fails as levels.add does.
func (x *expansion) add(hop int, chunks []chunk) error {
	if err := x.levels.add(hop, chunks); err != nil {
		return err
	}
	x.frontier = nil
	for i := range chunks {
		for _, end := range chunks[i].ends {
			if x.seen.add(end) {
				x.frontier = append(x.frontier, end)
			}
		}
		chunks[i].ends = nil // may be large
	}
	slices.Sort(x.frontier)
	x.taken = append(x.taken, x.frontier)
	x.found += len(x.frontier)
	return nil
}

// ball returns what was found, the nearest first.
func (x *expansion) ball() ball {
	b := ball{Completeness: x.completeness(false, ""), concepts: make([]int, 0, x.found), asked: x.asked, work: x.work}
	b.partial = !b.Complete
	for _, level := range x.taken {
		for _, c := range level {
			b.concepts = append(b.concepts, int(c))
		}
		b.ends = append(b.ends, len(b.concepts))
	}
	b.cut(x.query.most)
	return b
}

// gaps are what an expansion could not read.
type gaps struct {
	failed, late, unread int // chunks
	read                 int
	ofChunks             int
	cut                  bool // a chunk had more ends than its limit
	timedOut             int  // the hop in which the time ran out; 0 = it did not
}

func (g *gaps) add(hop int, chunks []chunk, over bool) {
	g.ofChunks += len(chunks)
	missing := false
	for i := range chunks {
		c := &chunks[i]
		g.cut = g.cut || c.cut
		missing = missing || !c.read
		switch {
		case c.read:
			g.read++
		case c.err == nil:
			g.unread++
		case c.late():
			g.late++
		default:
			g.failed++
		}
	}
	if over && missing && g.timedOut == 0 {
		g.timedOut = hop
	}
}

// completeness says what is missing, and what to do.
func (g *gaps) completeness(hops int, set knowledge.GraphSettings) questions.Completeness {
	c := questions.Completeness{FailedChunks: g.failed + g.late + g.unread, Truncated: g.cut, TimedOut: g.timedOut > 0}
	c.Complete = c.FailedChunks == 0 && !g.cut && g.timedOut == 0
	if g.timedOut > 0 {
		c.Missing = fmt.Sprintf("the time for one question ran out at hop %d of %d; ask for fewer hops or types", g.timedOut, hops)
	}
	if g.failed > 0 {
		c.Missing = joined(c.Missing, fmt.Sprintf("%d of %d chunks of the graph could not be read; ask again", g.failed, g.ofChunks))
	}
	if g.late > 0 && g.timedOut == 0 {
		c.Missing = joined(c.Missing, fmt.Sprintf("%d of %d chunks of the graph took longer than %s; ask for fewer hops or types, or raise chunk_timeout_seconds",
			g.late, g.ofChunks, set.ChunkTimeout()))
	}
	if g.cut {
		c.Missing = joined(c.Missing, fmt.Sprintf("a chunk of the graph has more than %d relationships; ask for fewer hops or types, or raise max_results_per_chunk",
			set.MaxResultsPerChunk))
	}
	return c
}

// joined adds a clause to what is missing.
func joined(missing, clause string) string {
	return strings.TrimPrefix(missing+"; "+clause, "; ")
}

// has reports whether a number is there.
func (b bits) has(n int32) bool {
	word := int(n >> 6)
	return word < len(b) && b[word]&(1<<(n&63)) != 0
}

// bits is a set of numbers, which are dense in a graph.
type bits []uint64

// add adds a number that is not negative, and reports that it was not there.
func (b *bits) add(n int32) bool {
	word, bit := int(n>>6), uint64(1)<<(n&63)
	if word >= len(*b) {
		*b = append(*b, make([]uint64, max(word+1-len(*b), len(*b)))...)
	}
	added := (*b)[word]&bit == 0
	(*b)[word] |= bit
	return added
}
