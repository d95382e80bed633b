package postgres

import (
	"context"
	"slices"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
)

// TermHits returns the concepts that bear one of the terms by name; terms are in
// the form of naming.LabelKey. A concept that bears several is returned for each.
// ontology, when not nil, keeps only concepts with a source in it. At most most
// concepts are read, the oldest first.
func (s *GraphSnapshot) TermHits(ctx context.Context, terms []string, ontology *string, most int) ([]knowledge.TermHit, error) {
	rows, err := s.q.TermHits(ctx, terms, ontology, int32(most))
	if err != nil {
		return nil, translate(err, "find terms")
	}
	var hits []knowledge.TermHit
	for _, r := range rows {
		label := naming.LabelKey(r.Label)
		for _, term := range r.TermKeys {
			if slices.Contains(terms, term) {
				hits = append(hits, knowledge.TermHit{ID: int(r.ID), ConceptID: r.ConceptID, Term: term, IsLabel: term == label})
			}
		}
	}
	return hits, nil
}

// NearestConcepts returns the numbers of the concepts whose signatures differ
// least from q's, nearest first. It compares every concept of the model.
func (s *GraphSnapshot) NearestConcepts(ctx context.Context, q knowledge.NearQuery) ([]int, error) {
	rows, err := s.nearest(ctx, q)
	if err != nil {
		return nil, translate(err, "search the nearest concepts")
	}
	ids := make([]int, len(rows))
	for i, r := range rows {
		ids[i] = int(r.Concept)
	}
	return ids, nil
}

func (s *GraphSnapshot) nearest(ctx context.Context, q knowledge.NearQuery) ([]db.NearestConceptsRow, error) {
	if q.Ontology == nil {
		return s.q.NearestConcepts(ctx, q.Model, signatureBits(q.Signature), int32(q.Limit))
	}
	rows, err := s.q.NearestConceptsIn(ctx, db.NearestConceptsInParams{
		Model: q.Model, Signature: signatureBits(q.Signature), Ontology: *q.Ontology, Most: int32(q.Limit),
	})
	list := make([]db.NearestConceptsRow, len(rows))
	for i, r := range rows {
		list[i] = db.NearestConceptsRow(r)
	}
	return list, err
}

// CloseConcepts returns, for each query, the numbers of concepts that are close
// to it, nearest first. It uses an index, and so finds nearly all concepts with
// a cosine of 0.8 and above, and fewer the lower it is. Of the built-in embeddings, which
// have no index, it compares every one for each query.
func (s *GraphSnapshot) CloseConcepts(ctx context.Context, queries []knowledge.NearQuery) (found [][]int, err error) {
	if len(queries) > 0 && queries[0].Model == models.LocalEmbedding {
		return s.nearestSharing(ctx, queries)
	}
	if err := s.q.BandIndexOnly(ctx, "off"); err != nil {
		return nil, translate(err, "search close concepts")
	}
	if found, err = s.sharingBand(ctx, queries); err != nil {
		return nil, translate(err, "search close concepts")
	}
	return found, translate(s.q.BandIndexOnly(ctx, "on"), "search close concepts")
}

// How many of the nearest concepts are read for each close one: not all of them share a
// band, and of those that are far away one in 64.
const (
	readPerClose = 100
	readMore     = 8 // times as many when these are not enough
)

// nearestSharing finds what sharingBand does, without an index.
func (s *GraphSnapshot) nearestSharing(ctx context.Context, queries []knowledge.NearQuery) ([][]int, error) {
	found := make([][]int, len(queries))
	for i, q := range queries {
		most := q.Limit
		for q.Limit *= readPerClose; ; q.Limit *= readMore {
			rows, err := s.nearest(ctx, q)
			if err != nil {
				return nil, translate(err, "search close concepts")
			}
			found[i] = sharing(q.Signature, rows, most)
			if len(found[i]) == most || len(rows) < q.Limit {
				break
			}
		}
	}
	return found, nil
}

// sharing returns the first concepts that share a band with a signature.
func sharing(signature models.Signature, rows []db.NearestConceptsRow, most int) []int {
	var ids []int
	for _, r := range rows {
		if other := toSignature(r.Signature); len(ids) < most && signature.SharesBand(&other) {
			ids = append(ids, int(r.Concept))
		}
	}
	return ids
}

func (s *GraphSnapshot) sharingBand(ctx context.Context, queries []knowledge.NearQuery) ([][]int, error) {
	params := make([]db.ConceptsSharingBandParams, len(queries))
	for i, q := range queries {
		params[i] = db.ConceptsSharingBandParams{
			Bands: q.Signature.Bands(), Model: q.Model, Ontology: q.Ontology,
			Signature: signatureBits(q.Signature), Most: int32(q.Limit),
		}
	}
	found := make([][]int, len(queries))
	var failed error
	s.q.ConceptsSharingBand(ctx, params).Query(func(i int, ids []int32, err error) {
		if err != nil && failed == nil {
			failed = err
		}
		found[i] = toInts(ids)
	})
	return found, failed
}

// ConceptEmbeddings returns the concepts with the given numbers that have an
// embedding of the model.
func (s *GraphSnapshot) ConceptEmbeddings(ctx context.Context, model string, ids []int) ([]knowledge.EmbeddedConcept, error) {
	rows, err := s.q.ConceptEmbeddings(ctx, toInt32s(ids), model)
	if err != nil {
		return nil, translate(err, "read embeddings")
	}
	concepts := make([]knowledge.EmbeddedConcept, len(rows))
	for i, r := range rows {
		concepts[i] = knowledge.EmbeddedConcept{ID: int(r.ID), ConceptID: r.ConceptID, Embedding: r.Vector}
	}
	return concepts, nil
}
