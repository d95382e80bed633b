package postgres

import (
	"context"
	"slices"

	"github.com/kappagraph/kappa/knowledge"
)

// addElsewhere says of the candidates of the drafts at the given places which are of other
// ontologies alone, and have nothing to do with what the chunk names besides. In a graph of
// one ontology it asks nothing. What is related with something that the chunk names need not
// be looked for in the ontology, unless several concepts bear the name.
func (w *chunkWriter) addElsewhere(ctx context.Context, places []int, all [][]knowledge.Candidate) error {
	if !w.others {
		return nil
	}
	ids := candidateIDs(all)
	if len(ids) == 0 {
		return nil
	}
	around, err := w.around(ctx, ids, all)
	if err != nil {
		return err
	}
	var unsure []int32
	for _, i := range places {
		for _, c := range all[i] {
			if !around[int32(c.ID)] || len(all[i]) > 1 {
				unsure = append(unsure, int32(c.ID))
			}
		}
	}
	if len(unsure) == 0 {
		return nil
	}
	slices.Sort(unsure)
	rows, err := w.q.ConceptsStanding(ctx, w.document, ids, slices.Compact(unsure))
	if err != nil {
		return err
	}
	here, together := map[int]bool{}, map[int]bool{}
	for _, r := range rows {
		here[int(r.ID)], together[int(r.ID)] = r.Here, r.Together
	}
	for _, i := range places {
		own := slices.ContainsFunc(all[i], func(c knowledge.Candidate) bool { return here[c.ID] })
		for n, c := range all[i] {
			all[i][n].Elsewhere = !here[c.ID] && (own || !around[int32(c.ID)] && !together[c.ID])
		}
	}
	return nil
}

// candidateIDs returns the concepts that the drafts may be, each once.
func candidateIDs(all [][]knowledge.Candidate) []int32 {
	var ids []int32
	for _, list := range all {
		for _, c := range list {
			ids = append(ids, int32(c.ID))
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// around returns the candidates that are related with one of another draft.
func (w *chunkWriter) around(ctx context.Context, ids []int32, all [][]knowledge.Candidate) (map[int32]bool, error) {
	rows, err := w.q.ConceptsRelated(ctx, ids)
	if err != nil {
		return nil, err
	}
	drafts := map[int32][]int{}
	for i, list := range all {
		for _, c := range list {
			drafts[int32(c.ID)] = append(drafts[int32(c.ID)], i)
		}
	}
	around := map[int32]bool{}
	for _, r := range rows {
		if !slices.Equal(drafts[r.Src], drafts[r.Dst]) {
			around[r.Src], around[r.Dst] = true, true
		}
	}
	return around, nil
}
