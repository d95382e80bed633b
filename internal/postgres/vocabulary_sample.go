package postgres

import (
	"context"
	"math"
	"slices"

	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// SampleVocabulary returns up to size edges of each relationship type with the
// groundings of their targets, all as of one moment. The same graph gives the same
// sample.
func (s VocabularyStore) SampleVocabulary(ctx context.Context, size int) (sample vocabulary.Sample, err error) {
	err = GraphStore(s).View(ctx, func(view *GraphSnapshot) error {
		sample, err = view.sampleVocabulary(ctx, size)
		return err
	})
	return sample, err
}

func (s *GraphSnapshot) sampleVocabulary(ctx context.Context, size int) (vocabulary.Sample, error) {
	sample := vocabulary.Sample{}
	counts, err := s.q.TypeEdgeCounts(ctx)
	if err != nil {
		return sample, translate(err, "count the relationships")
	}
	place := make(map[int32]int, len(counts))
	types, limits := make([]int32, len(counts)), make([]int64, len(counts))
	for i, c := range counts {
		sample.Types = append(sample.Types, vocabulary.TypeSample{ID: int(c.ID), Name: c.Name, Total: int(c.Edges)})
		place[c.ID], types[i], limits[i] = i, c.ID, hashLimit(size, int(c.Edges))
	}
	edges, err := s.q.TypeEdgeSample(ctx, types, limits, int64(size))
	if err != nil {
		return sample, translate(err, "sample the relationships")
	}
	all := make([]int, 0, len(edges))
	for _, e := range edges {
		t := &sample.Types[place[e.Type]]
		t.Sampled++
		t.Targets = append(t.Targets, int(e.Dst))
		all = append(all, int(e.Dst))
	}
	for i := range sample.Types {
		sample.Types[i].Targets = distinct(sample.Types[i].Targets)
	}
	groundings, err := s.q.ConceptGroundings(ctx, toInt32s(distinct(all)))
	if err != nil {
		return sample, translate(err, "read the grounding of concepts")
	}
	sample.Groundings = make(map[int]float64, len(groundings))
	for _, g := range groundings {
		sample.Groundings[int(g.ID)] = g.Grounding
	}
	sample.Epoch, err = s.GraphEpoch(ctx)
	return sample, err
}

// hashLimit returns below which hash about three times as many of total edges are as
// are wanted: enough of them but for one sample in a million, and not many to sort.
func hashLimit(wanted, total int) int64 {
	share := float64(3*wanted+50) / float64(max(1, total))
	if share >= 1 {
		return math.MaxInt64
	}
	return int64(math.MinInt64 + share*math.MaxUint64)
}

// distinct returns each of ids once, ascending.
func distinct(ids []int) []int {
	slices.Sort(ids)
	return slices.Compact(ids)
}
