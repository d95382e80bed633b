package postgres

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
)

// conceptRank is the place of a concept in the list by evidence.
type conceptRank struct {
	concept, sources, quotes int32
	method                   uint8 // its place in creationMethods
}

// creationMethods are how a concept can have come about.
var creationMethods = []string{knowledge.CreatedByIngestion, knowledge.CreatedByHuman, knowledge.CreatedByAgent}

// compareRanks orders concepts: most chunks first, then most quotes, then the oldest.
func compareRanks(a, b conceptRank) int {
	return cmp.Or(cmp.Compare(b.sources, a.sources), cmp.Compare(b.quotes, a.quotes), cmp.Compare(a.concept, b.concept))
}

// mostRankings and mostRanks bound the rankings of ontologies that are remembered: a rank
// takes 16 bytes.
const (
	mostRankings = 64
	mostRanks    = 8 << 20
)

// rankings remembers the concepts in the order of their evidence, of the whole graph and of
// the ontologies that were asked for last.
type rankings struct {
	mu    sync.Mutex
	known map[int32]*ranking // by the number of the ontology; 0 is all
	uses  uint64
}

type ranking struct {
	kept *kept[[]conceptRank]
	used uint64
}

// of returns the place of the ranking of an ontology. Those that were not asked for for the
// longest time are forgotten when there are too many.
func (r *rankings) of(ontology int32) *kept[[]conceptRank] {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[int32]*ranking{}
	}
	one := r.known[ontology]
	if one == nil {
		one = &ranking{kept: newKept[[]conceptRank]()}
		r.known[ontology] = one
	}
	r.uses++
	one.used = r.uses
	r.tidy(ontology)
	return one.kept
}

func (r *rankings) tidy(last int32) {
	for {
		ranks, oldest := 0, last
		for ontology, one := range r.known {
			if at := one.kept.now.Load(); at != nil {
				ranks += len(at.value)
			}
			if one.used < r.known[oldest].used {
				oldest = ontology
			}
		}
		if oldest == last || len(r.known) <= mostRankings && ranks <= mostRanks {
			return
		}
		delete(r.known, oldest)
	}
}

// ranked returns the concepts of an ontology, or all for 0, in the order of their evidence.
func (s *GraphSnapshot) ranked(ctx context.Context, ontology int32) ([]conceptRank, error) {
	return s.store.memory.rankings.of(ontology).at(ctx, s, func(known *[]conceptRank, touch graphTouch) ([]conceptRank, error) {
		if known == nil {
			ranks, err := s.readRanks(ctx, ontology)
			slices.SortFunc(ranks, compareRanks)
			return ranks, err
		}
		changed, err := s.readRanksOf(ctx, ontology, touch.concepts)
		if err != nil {
			return nil, err
		}
		return rerank(*known, touch.concepts, changed), nil
	})
}

// rerank returns ranks with other ones for the concepts that were touched; those that have
// none any more are gone.
func rerank(ranks []conceptRank, touched []int32, changed []conceptRank) []conceptRank {
	if len(touched) == 0 {
		return ranks
	}
	gone := make(map[int32]bool, len(touched))
	for _, c := range touched {
		gone[c] = true
	}
	slices.SortFunc(changed, compareRanks)
	merged := make([]conceptRank, 0, len(ranks)+len(changed))
	for _, r := range ranks {
		if gone[r.concept] {
			continue
		}
		for len(changed) > 0 && compareRanks(changed[0], r) < 0 {
			merged, changed = append(merged, changed[0]), changed[1:]
		}
		merged = append(merged, r)
	}
	return append(merged, changed...)
}

func (s *GraphSnapshot) readRanks(ctx context.Context, ontology int32) ([]conceptRank, error) {
	if ontology == 0 {
		return toRanks(s.q.ConceptRanks(ctx))
	}
	return toRanks(s.q.ConceptRanksIn(ctx, ontology))
}

func (s *GraphSnapshot) readRanksOf(ctx context.Context, ontology int32, concepts []int32) ([]conceptRank, error) {
	if ontology == 0 {
		return toRanks(s.q.ConceptRanksOf(ctx, concepts))
	}
	return toRanks(s.q.ConceptRanksOfIn(ctx, concepts, ontology))
}

// rankRow is a row of the statements that rank concepts.
type rankRow interface {
	~struct {
		Concept        int32
		Sources        int32
		Quotes         int32
		CreationMethod string
	}
}

func toRanks[R rankRow](rows []R, err error) ([]conceptRank, error) {
	ranks := make([]conceptRank, len(rows))
	for i, row := range rows {
		r := db.ConceptRanksRow(row)
		ranks[i] = conceptRank{concept: r.Concept, sources: r.Sources, quotes: r.Quotes, method: uint8(slices.Index(creationMethods, r.CreationMethod))}
	}
	return ranks, err
}
