package graph

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// tables reads levels of concepts from the tables, for all questions of a process.
// A wide level is cut into chunks, a query each, which workers read over
// connections of their own while the question reads over the one that it has. So
// nobody who holds a connection waits for another one.
type tables struct {
	settings func() knowledge.GraphSettings
	log      *slog.Logger
	share    share
	workers  workers
	work     effort
}

func newTables(settings func() knowledge.GraphSettings, log *slog.Logger) *tables {
	return &tables{settings: settings, log: log}
}

// take takes a worker, as long as the settings and the connections leave one.
func (t *tables) take() bool { return t.workers.take(t.share.most(t.settings().MaxWorkers)) }

// chunk is a part of a level, and what was read around it.
type chunk struct {
	concepts []int32
	ends     []int32 // with repetitions
	read     bool
	err      error // why it was not read; nil when its turn never came
	cut      bool  // at the limit: more ends are there
}

// late reports that the chunk was given up for its time, or that of the question.
func (c *chunk) late() bool { return errors.Is(c.err, context.DeadlineExceeded) }

// A chunk that is late is read again in so many pieces, each with a part of the time, and
// a piece that is late once more a concept at a time: what takes long is mostly one of them,
// and the others are not to be missed for it.
const (
	pieces    = 64
	pieceTime = 4 // the share of a chunk's time
)

// level reads what is one relationship away from concepts, until the deadline. The
// chunks come back in the order of the concepts. Its error is that of a caller who
// has left.
func (t *tables) level(ctx context.Context, s Snapshot, l levelQuery) ([]chunk, error) {
	set := t.settings()
	q := &queue{level: l, settings: set, chunks: cut(l.concepts, set), limit: set.ChunkTimeout(), tables: t}
	for again := true; again; again = ctx.Err() == nil && q.split() {
		t.read(ctx, s, q)
	}
	q.count(ctx)
	return q.chunks, ctx.Err()
}

// read reads the chunks of a queue.
func (t *tables) read(ctx context.Context, s Snapshot, q *queue) {
	var group sync.WaitGroup
	waiting, stopWaiting := context.WithCancel(ctx) // for a connection
	defer stopWaiting()
	t.help(ctx, waiting, s, q, &group)
	q.work(ctx, s.Neighbors)
	stopWaiting()
	group.Wait()
}

// levelQuery asks for a level.
type levelQuery struct {
	concepts []int32 // ascending
	types    []string
	most     int // ends of a chunk; 0 = as many as the settings say
	workers  int // as in nhopQuery
	until    time.Time
	helped   *int // how many workers helped; nil is not counted
}

// cut returns the chunks of a level: one when it is narrow.
func cut(concepts []int32, set knowledge.GraphSettings) []chunk {
	size := len(concepts)
	if size >= set.ParallelFrom {
		size = min(size, set.ChunkSize)
	}
	var chunks []chunk
	for part := range slices.Chunk(concepts, max(1, size)) {
		chunks = append(chunks, chunk{concepts: part})
	}
	return chunks
}

// help starts a worker for each chunk but the one that the question reads itself,
// as far as there are free ones.
func (t *tables) help(ctx, waiting context.Context, s Snapshot, q *queue, group *sync.WaitGroup) {
	wanted := q.waiting() - 1
	if q.level.workers != 0 {
		wanted = min(wanted, q.level.workers)
	}
	if wanted <= 0 {
		return
	}
	taken := 0
	for taken < wanted && t.take() {
		taken++
	}
	if q.level.helped != nil {
		*q.level.helped = max(*q.level.helped, taken)
	}
	if taken == 0 {
		t.work.sequential.Add(1)
		return
	}
	beside, err := s.Share(ctx)
	if err != nil {
		t.log.WarnContext(ctx, "reading the graph over several connections failed; one goes on alone", "err", err)
	}
	for range taken {
		if err != nil {
			t.workers.give()
			continue
		}
		group.Go(func() {
			defer t.workers.give()
			q.help(ctx, waiting, beside)
		})
	}
}

// queue hands out the chunks of a level.
type queue struct {
	level    levelQuery
	settings knowledge.GraphSettings
	limit    time.Duration // of one query
	tables   *tables

	mu     sync.Mutex // guards next; a chunk belongs to whoever took it
	next   int
	chunks []chunk
}

func (q *queue) take() *chunk {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.skip(); q.next == len(q.chunks) || !time.Now().Before(q.level.until) {
		return nil
	}
	q.next++
	return &q.chunks[q.next-1]
}

// skip passes over the chunks that were read, or tried, before they were split.
func (q *queue) skip() {
	for q.next < len(q.chunks) && (q.chunks[q.next].read || q.chunks[q.next].err != nil) {
		q.next++
	}
}

// waiting counts the chunks that nobody has tried.
func (q *queue) waiting() int {
	n := 0
	for i := range q.chunks {
		if !q.chunks[i].read && q.chunks[i].err == nil {
			n++
		}
	}
	return n
}

// split cuts late chunks into pieces, and reports whether there are any. Nobody reads
// meanwhile.
func (q *queue) split() bool {
	if !time.Now().Before(q.level.until) {
		return false
	}
	var all []chunk
	split := false
	for _, c := range q.chunks {
		if !c.late() || len(c.concepts) < 2 {
			all = append(all, c)
			continue
		}
		split = true
		for piece := range slices.Chunk(c.concepts, (len(c.concepts)+pieces-1)/pieces) {
			all = append(all, chunk{concepts: piece})
		}
	}
	q.chunks, q.next, q.limit = all, 0, max(time.Millisecond, q.settings.ChunkTimeout()/pieceTime)
	return split
}

// count counts the chunks that are left out.
func (q *queue) count(ctx context.Context) {
	for i := range q.chunks {
		c := &q.chunks[i]
		if c.read || c.err == nil || ctx.Err() != nil {
			continue
		}
		q.tables.work.failed.Add(1)
		if c.late() {
			q.tables.work.late.Add(1)
		}
		q.tables.log.WarnContext(ctx, "a chunk of the graph could not be read and is left out", "concepts", len(c.concepts), "late", c.late(), "err", c.err)
	}
}

// left reports whether a chunk is left.
func (q *queue) left() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.skip()
	return q.next < len(q.chunks)
}

// help reads chunks over other connections. After a failure the connection is of no
// use, and it takes another one.
func (q *queue) help(ctx, waiting context.Context, beside questions.Beside) {
	for q.left() {
		worked := false
		err := beside(waiting, func(n questions.Neighbors) error {
			for c := q.take(); c != nil; c = q.take() {
				worked = true
				if q.read(ctx, c, n); c.err != nil {
					return c.err
				}
			}
			return nil
		})
		if err == nil || !worked {
			return // nothing is left, or no connection is free
		}
	}
}

// work reads chunks over the connection of the question.
func (q *queue) work(ctx context.Context, n questions.Neighbors) {
	for c := q.take(); c != nil && ctx.Err() == nil; c = q.take() {
		q.read(ctx, c, n)
	}
}

// read reads one chunk.
func (q *queue) read(ctx context.Context, c *chunk, n questions.Neighbors) {
	within, most := min(q.limit, time.Until(q.level.until)), cmp.Or(q.level.most, q.settings.MaxResultsPerChunk)
	c.ends, c.err = n(ctx, questions.NeighborQuery{Concepts: c.concepts, Types: q.level.types, Most: most + 1, Within: max(time.Millisecond, within)})
	c.read = c.err == nil
	if len(c.ends) > most {
		c.ends, c.cut = c.ends[:most], true
	}
	q.tables.work.chunks.Add(1)
}
