package graph

import (
	"sync"
	"sync/atomic"

	"github.com/kappagraph/kappa/knowledge"
)

// workers count who helps to read the tables, over all questions of a process.
// Nobody waits for one: who gets none reads alone.
type workers struct {
	mu   sync.Mutex
	busy int
}

// take takes a worker, unless most are at work. A smaller number than before acts
// on those who come next.
func (w *workers) take(most int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.busy >= most {
		return false
	}
	w.busy++
	return true
}

func (w *workers) give() {
	w.mu.Lock()
	w.busy--
	w.mu.Unlock()
}

func (w *workers) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.busy
}

// work counts what was done on the tables.
type effort struct {
	chunks, failed, late, sequential atomic.Int64
}

// Work returns what questions have done on the tables so far.
func (g *Graph) Work() knowledge.GraphWork {
	t := g.tables
	return knowledge.GraphWork{
		Chunks: t.work.chunks.Load(), Failed: t.work.failed.Load(), Late: t.work.late.Load(), Sequential: t.work.sequential.Load(),
		Workers: t.workers.count(), MaxWorkers: t.share.most(g.settings().MaxWorkers),
	}
}
