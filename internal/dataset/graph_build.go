package dataset

import (
	"context"
	"errors"
	"io"

	"github.com/kappagraph/kappa/internal/dataset/files"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// errLeft is why tables are written no further.
var errLeft = errors.New("everybody who asked has gone")

// build is the writing of tables, for all who ask for them meanwhile.
type build struct {
	key     buildKey
	cancel  context.CancelCauseFunc
	done    chan struct{} // closed at the end; what follows is written before
	set     *tableSet     // held until the last asker has gone
	err     error
	waiting int // askers; under the lock of graphTables
}

// buildKey is what a build is for: the tables of a scope, as new as what was asked for.
type buildKey struct {
	scope string
	epoch int64
	names string
}

// write returns the tables of a scope that were written, or are being written by somebody
// else. The caller closes them.
func (g *graphTables) write(ctx context.Context, scope string, ontologies []string, asked questions.TablesMark) (*tableSet, error) {
	b := g.join(ctx, buildKey{scope, asked.Epoch, asked.Names}, ontologies)
	defer g.leave(b)
	select {
	case <-b.done:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if b.err != nil {
		return nil, b.err
	}
	return b.set.again(), nil
}

// join takes part in the build of a key, and begins it when there is none.
func (g *graphTables) join(ctx context.Context, k buildKey, ontologies []string) *build {
	g.mu.Lock()
	defer g.mu.Unlock()
	b := g.builds[k]
	if b == nil {
		building, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
		b = &build{key: k, cancel: cancel, done: make(chan struct{})}
		g.builds[k] = b
		g.running.Go(func() {
			defer cancel(nil)
			g.run(building, b, ontologies)
		})
	}
	b.waiting++
	return b
}

// leave ends the part of an asker. The last one ends the build, or gives back what it made.
func (g *graphTables) leave(b *build) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if b.waiting--; b.waiting > 0 {
		return
	}
	g.forgetLocked(b)
	b.cancel(errLeft)
	if b.set != nil {
		b.set.Close()
		b.set = nil
	}
}

// forgetLocked makes sure that nobody joins a build any more.
func (g *graphTables) forgetLocked(b *build) {
	if g.builds[b.key] == b {
		delete(g.builds, b.key)
	}
}

// run writes the tables, when it is its turn, unless others have meanwhile.
func (g *graphTables) run(ctx context.Context, b *build, ontologies []string) {
	var set *tableSet
	var err error
	select {
	case g.turn <- struct{}{}:
		asked := questions.TablesMark{Epoch: b.key.epoch, Names: b.key.names}
		if set = g.find(b.key.scope, asked); set == nil {
			set, err = g.writeAll(ctx, b.key.scope, ontologies)
		}
		<-g.turn
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	b.set, b.err = set, err
	if b.waiting == 0 && set != nil { // nobody has stayed to give it back
		set.Close()
		b.set = nil
	}
	g.forgetLocked(b)
	close(b.done)
}

// writeAll writes every table of a scope, and keeps them in the place of those before.
func (g *graphTables) writeAll(ctx context.Context, scope string, ontologies []string) (set *tableSet, err error) {
	var making []*files.Making
	defer func() {
		for _, m := range making { // that were not finished
			m.Abandon()
		}
	}()
	mark, err := g.source.Tables(ctx, ontologies, func(questions.GraphTable) (io.Writer, error) {
		m, err := g.files.Create()
		if err != nil {
			return nil, err
		}
		making = append(making, m)
		return m, nil
	})
	if err != nil {
		return nil, err
	}
	set = &tableSet{mark: mark}
	for _, t := range questions.GraphTables() {
		m := making[0]
		making = making[1:]
		file, err := m.Finish(fileName(scope, mark, t))
		if err != nil {
			set.Close()
			return nil, err
		}
		set.add(t, file)
	}
	g.keep(scope, mark)
	return set, nil
}
