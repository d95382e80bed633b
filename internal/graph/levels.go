package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// levels is the part of a question that takes level after level: until when it may, and what
// it could not read. What comes after it, such as the text of what was found, has a time of
// its own.
type levels struct {
	until    time.Time
	within   time.Duration // from the beginning until then
	settings knowledge.GraphSettings
	hops     int // that are asked for
	gaps     gaps
	narrowed bool // a hop led to more concepts than it may take

	began time.Time
	asked []int // concepts that each hop was asked about
	work  reads
}

// newLevels leaves a share of the time of ctx for what comes after the levels.
func newLevels(ctx context.Context, hops int, set knowledge.GraphSettings) *levels {
	left := set.Timeout()
	if deadline, ok := ctx.Deadline(); ok {
		left = time.Duration(float64(time.Until(deadline)) * (1 - reserved))
	}
	now := time.Now()
	return &levels{until: now.Add(left), within: left, settings: set, hops: hops, began: now}
}

// count adds what was read around so many concepts.
func (l *levels) count(concepts int, r reads) {
	l.asked = append(l.asked, concepts)
	l.work.rows, l.work.chunks, l.work.workers = l.work.rows+r.rows, l.work.chunks+r.chunks, max(l.work.workers, r.workers)
}

// over reports that the time for levels has run out.
func (l *levels) over() bool { return l.gaps.timedOut > 0 }

// errNothingRead is why a question has no answer at all: there is a graph, but none of it
// could be read in time.
var errNothingRead = errors.New("nothing could be read in time")

// add records what could be read of a level, the given number of hops away. It fails when
// nothing of the graph was read so far.
func (l *levels) add(hop int, chunks []chunk) error {
	l.gaps.add(hop, chunks, !time.Now().Before(l.until))
	if l.gaps.read > 0 || len(chunks) == 0 {
		return nil
	}
	var errs []error
	late := false
	for i := range chunks {
		errs = append(errs, chunks[i].err)
		late = late || chunks[i].err == nil || chunks[i].late()
	}
	if !late {
		return errors.Join(errs...)
	}
	return &kappa.Error{
		Code: kappa.CodeUnavailable, RetryAfter: retryAfter, Err: errors.Join(errNothingRead, context.DeadlineExceeded, errors.Join(errs...)),
		Message: fmt.Sprintf("nothing around these concepts could be read: it took longer than %s; try again later, or raise timeout_seconds or chunk_timeout_seconds",
			min(l.within, l.settings.ChunkTimeout()).Round(time.Millisecond)),
	}
}

// completeness says what is missing. limit says it of a search that was cut at its limit.
func (l *levels) completeness(truncated bool, limit string) questions.Completeness {
	c := l.gaps.completeness(l.hops, l.settings)
	if l.narrowed {
		c = incomplete(c, "a hop leads to more concepts than limit_per_hop; those with the paths that say most were taken")
	}
	if truncated {
		return incomplete(c, limit)
	}
	return c
}

// ends returns the far ends of what is around the concepts of a level. What could not be read
// in time is recorded in l.
func (v view) ends(ctx context.Context, l *levels, hop int, q questions.NeighborQuery) (ends []int32, err error) {
	if v.memory.View != nil {
		err = l.inMemory(ctx, hop, func(ctx context.Context) (err error) {
			ends, err = v.memory.Ends(ctx, q.Concepts, v.memory.follow(q.Types), q.Most)
			return err
		})
		l.count(len(q.Concepts), reads{})
		return ends, err
	}
	helped := 0
	chunks, err := v.tables.level(ctx, v.Snapshot, levelQuery{concepts: q.Concepts, types: q.Types, most: q.Most, until: l.until, helped: &helped})
	if err != nil {
		return nil, err
	}
	l.count(len(q.Concepts), readsOf(chunks, helped))
	if err := l.add(hop, chunks); err != nil {
		return nil, err
	}
	for i := range chunks {
		ends = append(ends, chunks[i].ends...)
	}
	return ends, nil
}

// inMemory reads a level from memory, all or nothing.
func (l *levels) inMemory(ctx context.Context, hop int, read func(ctx context.Context) error) error {
	within, cancel := context.WithDeadline(ctx, l.until)
	defer cancel()
	err := read(within)
	if ctx.Err() != nil || err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return errors.Join(ctx.Err(), err)
	}
	return l.add(hop, []chunk{{read: err == nil, err: err}})
}

// edges returns the relationships around the concepts of a level: all of them, or the first
// ones in the order of Snapshot.EdgesAround when there are more than most. What could not be
// read in time is recorded in l.
func (v view) edges(ctx context.Context, l *levels, hop int, concepts []int, types []string, most int) (edges []knowledge.Edge, err error) {
	if v.memory.View != nil {
		err = l.inMemory(ctx, hop, func(ctx context.Context) (err error) {
			edges, err = v.memory.edgesAround(ctx, concepts, types, most)
			return err
		})
		l.count(len(concepts), reads{})
		return edges, err
	}
	r := &edgeReading{view: v, types: types, most: most, limit: l.settings.ChunkTimeout()}
	chunks := cut(toInt32s(concepts), l.settings)
	for chunks != nil && ctx.Err() == nil {
		r.read(ctx, chunks, l.until)
		chunks = r.late(l.until)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.count(len(concepts), reads{rows: int64(len(r.edges)), chunks: len(r.done)})
	if err := l.add(hop, r.done); err != nil {
		return nil, err
	}
	return r.edges, nil
}

// edgeReading reads the relationships around a level over the connection of the question.
type edgeReading struct {
	view
	types []string
	most  int
	limit time.Duration // of one query

	edges []knowledge.Edge
	done  []chunk
}

// read reads the relationships around chunks, one after the other.
func (r *edgeReading) read(ctx context.Context, chunks []chunk, until time.Time) {
	for _, c := range chunks {
		if left := time.Until(until); left > 0 && ctx.Err() == nil {
			var found []knowledge.Edge
			c.err = r.Bounded(ctx, min(r.limit, left), func(ctx context.Context) (err error) {
				found, err = r.EdgesAround(ctx, fromInt32s(c.concepts), r.types, r.most)
				return err
			})
			c.read = c.err == nil
			r.tables.work.chunks.Add(1)
			if c.read {
				r.add(found)
			}
		}
		r.done = append(r.done, c)
	}
}

// add adds relationships, and keeps the first ones when they become too many.
func (r *edgeReading) add(found []knowledge.Edge) {
	if r.edges = append(r.edges, found...); len(r.edges) > r.most && len(r.edges) > len(found) {
		slices.SortFunc(r.edges, compareStrength)
		r.edges = r.edges[:r.most]
	}
}

// late takes the chunks that were late out of what is done, and returns them in pieces; nil
// when there are none, or no time is left.
func (r *edgeReading) late(until time.Time) []chunk {
	if !time.Now().Before(until) {
		return nil
	}
	q := queue{level: levelQuery{until: until}, chunks: r.done}
	if !q.split() {
		return nil
	}
	r.limit = max(time.Millisecond, r.tables.settings().ChunkTimeout()/pieceTime)
	tried := func(c chunk) bool { return c.read || c.err != nil }
	again := slices.DeleteFunc(slices.Clone(q.chunks), tried)
	r.done = slices.DeleteFunc(q.chunks, func(c chunk) bool { return !tried(c) })
	return again
}

// compareStrength is the order of Snapshot.EdgesAround.
func compareStrength(a, b knowledge.Edge) int {
	return cmp.Or(
		compareBool(a.Type == vocabulary.TypeRelatedTo, b.Type == vocabulary.TypeRelatedTo), cmp.Compare(b.Confidence, a.Confidence),
		compareEnds(a, b), cmp.Compare(a.Type, b.Type), compareBool(a.Forward, b.Forward),
	)
}

func toInt32s(list []int) []int32 {
	short := make([]int32, len(list))
	for i, n := range list {
		short[i] = int32(n)
	}
	return short
}

func fromInt32s(list []int32) []int {
	long := make([]int, len(list))
	for i, n := range list {
		long[i] = int(n)
	}
	return long
}
