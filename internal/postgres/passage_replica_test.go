package postgres_test

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
)

// passageReplica has the passages and their signatures as the servers' indexes have them: it
// reads what the log says has changed.
type passageReplica struct {
	t *testing.T
	s *postgres.DB

	since      knowledge.GraphMark // of the passages
	passages   map[int32]map[int32]corpus.StoredPassage
	embedded   knowledge.GraphMark
	model      string
	signatures map[int32]map[int32]models.Signature
	reloads    int
}

func newPassageReplica(t *testing.T, s *postgres.DB) *passageReplica {
	t.Helper()
	r := &passageReplica{t: t, s: s}
	r.load()
	return r
}

// load reads everything.
func (r *passageReplica) load() {
	r.t.Helper()
	keys, mark := passageKeys(r.t, r.s)
	all, err := r.s.Passages().Passages(r.t.Context(), idsOf(keys))
	must(r.t, err)
	r.since, r.passages = mark, map[int32]map[int32]corpus.StoredPassage{}
	for _, p := range all {
		put(r.passages, p.Source, p.ID, p)
	}
}

func (r *passageReplica) loadSignatures(model string) {
	r.t.Helper()
	mark, err := r.s.PassageEmbeddings().GraphMark(r.t.Context())
	must(r.t, err)
	r.embedded, r.model, r.signatures = mark, model, map[int32]map[int32]models.Signature{}
	must(r.t, r.s.PassageEmbeddings().EachPassageSignature(r.t.Context(), model, func(p corpus.SignedPassage) error {
		put(r.signatures, p.Source, p.ID, p.Signature)
		return nil
	}))
}

func put[T any](of map[int32]map[int32]T, source, id int32, one T) {
	if of[source] == nil {
		of[source] = map[int32]T{}
	}
	of[source][id] = one
}

// follow reads what has changed, and compares with everything.
func (r *passageReplica) follow(model string) {
	r.t.Helper()
	touched, err := r.s.Library().PassagesTouched(r.t.Context(), r.since, 1000)
	switch {
	case errors.Is(err, knowledge.ErrGraphReload):
		r.reloads++
		r.load()
	default:
		must(r.t, err)
		list, err := r.s.Passages().PassagesOfSources(r.t.Context(), touched.Sources)
		must(r.t, err)
		for _, source := range touched.Sources {
			delete(r.passages, source)
		}
		for _, p := range list {
			put(r.passages, p.Source, p.ID, p)
		}
		r.since = touched.Until
	}
	fresh := &passageReplica{t: r.t, s: r.s}
	fresh.load()
	for source := range fresh.passages {
		if !maps.EqualFunc(fresh.passages[source], r.passages[source], sameKey) {
			r.t.Errorf("who follows the log has %+v of chunk %d, the tables %+v", r.passages[source], source, fresh.passages[source])
		}
	}
	if len(fresh.passages) != len(r.passages) {
		r.t.Errorf("who follows the log has the chunks %v, the tables %v", slices.Sorted(maps.Keys(r.passages)), slices.Sorted(maps.Keys(fresh.passages)))
	}
	r.followSignatures(model)
}

func sameKey(a, b corpus.StoredPassage) bool {
	return a.PassageKey == b.PassageKey && a.Text == b.Text && a.Section == b.Section
}

func (r *passageReplica) followSignatures(model string) {
	r.t.Helper()
	if r.model != model {
		r.loadSignatures(model)
		return
	}
	touched, err := r.s.PassageEmbeddings().PassagesEmbedded(r.t.Context(), r.embedded, 1000)
	if errors.Is(err, knowledge.ErrGraphReload) {
		r.loadSignatures(model)
		return
	}
	must(r.t, err)
	list, err := r.s.PassageEmbeddings().PassageSignatures(r.t.Context(), model, touched.Sources)
	must(r.t, err)
	for _, source := range touched.Sources {
		delete(r.signatures, source)
	}
	for _, p := range list {
		put(r.signatures, p.Source, p.ID, p.Signature)
	}
	r.embedded = touched.Until
	fresh := &passageReplica{t: r.t, s: r.s}
	fresh.loadSignatures(model)
	if !maps.EqualFunc(fresh.signatures, r.signatures, func(a, b map[int32]models.Signature) bool { return maps.Equal(a, b) }) {
		r.t.Errorf("who follows the log has the signatures of %v, the tables those of %v", slices.Sorted(maps.Keys(r.signatures)), slices.Sorted(maps.Keys(fresh.signatures)))
	}
}
