package retrieval

import (
	"context"
	"fmt"
	"sync"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/knowledge"
)

// pageSources is how many chunks are read at once.
const pageSources = 500

// open opens the index of a database, unless it is open. When its folder cannot be used it
// is kept in memory, and read from the tables at each start.
func (f *Follower) open(ctx context.Context, origin string) error {
	if f.index != nil && f.origin == origin {
		return nil
	}
	if f.index != nil {
		if err := f.index.Close(); err != nil {
			f.cfg.Log.WarnContext(ctx, "index of passages of another database was not closed", "err", err)
		}
		f.index = nil
	}
	x, err := index.Open(f.cfg.Dir, origin, f.cfg.Log)
	if err != nil && f.cfg.Dir != "" {
		f.cfg.Log.WarnContext(ctx, "index of passages is kept in memory, since its folder cannot be used", "dir", f.cfg.Dir, "err", err)
		x, err = index.Open("", origin, f.cfg.Log)
	}
	if err != nil {
		return err
	}
	f.index, f.origin = x, origin
	return nil
}

// load compares the index with the tables, and reads what it lacks, page by page, each as of
// its own moment: what has changed since the mark is in the log. It returns how many chunks
// were read.
func (f *Follower) load(ctx context.Context) (mark knowledge.GraphMark, read int, err error) {
	var has, keys []corpus.PassageKey
	f.held, has = heldOf(f.index)
	mark, err = f.cfg.Store.PassageKeys(ctx, func(k corpus.PassageKey) error {
		keys = append(keys, k)
		return nil
	})
	if err != nil {
		return mark, 0, err
	}
	if mark.Origin != f.origin {
		return mark, 0, fmt.Errorf("%w: another database answers", knowledge.ErrGraphReload)
	}
	lacks := compare(has, keys)
	f.current.Store(&current{index: f.index, reason: "loading", of: lacks.passages})
	if err := f.index.Apply(nil, lacks.gone); err != nil {
		return mark, 0, err
	}
	return mark, len(lacks.sources), f.apply(ctx, lacks.sources)
}

// page is some chunks with all their passages.
type page struct {
	sources  []int32
	passages []corpus.StoredPassage
	err      error
}

// apply reads the passages of chunks anew. The next page is read while one is cut into words.
func (f *Follower) apply(ctx context.Context, sources []int32) error {
	if len(sources) <= pageSources {
		return f.put(f.page(ctx, sources))
	}
	ctx, cancel := context.WithCancel(ctx)
	pages := make(chan page)
	var reader sync.WaitGroup
	defer reader.Wait()
	defer cancel()
	reader.Go(func() {
		defer close(pages)
		for len(sources) > 0 && ctx.Err() == nil {
			some := sources[:min(pageSources, len(sources))]
			sources = sources[len(some):]
			select {
			case pages <- f.page(ctx, some):
			case <-ctx.Done():
			}
		}
	})
	for p := range pages {
		if err := f.put(p); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

func (f *Follower) page(ctx context.Context, sources []int32) page {
	if len(sources) == 0 {
		return page{}
	}
	passages, err := f.cfg.Store.PassagesOfSources(ctx, sources)
	return page{sources, passages, err}
}

// put puts a page into the index, and takes out what its chunks have no more.
func (f *Follower) put(p page) error {
	if p.err != nil || len(p.sources) == 0 {
		return p.err
	}
	ids := map[int32][]int32{}
	add := make([]index.Entry, len(p.passages))
	for i := range p.passages {
		add[i] = entryOf(&p.passages[i], f.cfg.DefinedKey)
		ids[add[i].Source] = append(ids[add[i].Source], add[i].ID)
	}
	var gone []int32
	for _, source := range p.sources {
		gone = append(gone, f.held.replace(source, ids[source])...)
	}
	return f.index.Apply(add, gone)
}
