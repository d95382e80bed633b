package postgres

import (
	"context"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// UncutDocuments returns the next documents after a number that have chunks without passages,
// by number. A document that a job is writing is left to that.
func (s PassageStore) UncutDocuments(ctx context.Context, after int32, most int) ([]corpus.UncutDocument, error) {
	rows, err := s.q().DocumentsUncut(ctx, after, int32(most))
	list := make([]corpus.UncutDocument, len(rows))
	for i, r := range rows {
		list[i] = corpus.UncutDocument{Number: r.ID, DocumentID: r.DocumentID, ContentType: corpus.ContentType(r.ContentType)}
	}
	return list, translate(err, "list documents without passages")
}

// OutdatedDocuments is UncutDocuments of those that have chunks whose passages an older
// corpus.CutterVersion has cut.
func (s PassageStore) OutdatedDocuments(ctx context.Context, after int32, most int) ([]corpus.UncutDocument, error) {
	var older []int16
	for v := range int16(corpus.CutterVersion) {
		older = append(older, v)
	}
	rows, err := s.q().DocumentsOutdated(ctx, older, after, int32(most))
	list := make([]corpus.UncutDocument, len(rows))
	for i, r := range rows {
		list[i] = corpus.UncutDocument{Number: r.ID, DocumentID: r.DocumentID, ContentType: corpus.ContentType(r.ContentType)}
	}
	return list, translate(err, "list documents whose passages an older version has cut")
}

// ChunksToCut returns the chunks of a document in the order of their beginnings.
func (s PassageStore) ChunksToCut(ctx context.Context, document int32) ([]corpus.UncutChunk, error) {
	q := db.New(s.graph)
	rows, err := q.ChunksToCut(ctx, corpus.CutterVersion, document)
	if err != nil || len(rows) == 0 {
		return nil, translate(err, "read the chunks of a document")
	}
	list, at, ids := make([]corpus.UncutChunk, len(rows)), map[int32]int{}, make([]int32, len(rows))
	for i, r := range rows {
		ids[i], at[r.ID] = r.ID, i
		list[i] = corpus.UncutChunk{
			Number: r.ID, Text: r.FullText, Bytes: corpus.Span{Start: int(r.StartByte), End: int(r.EndByte)}, StartChar: int(r.StartChar),
			Boundary: corpus.Boundary(r.Boundary), IsCut: r.IsCut,
		}
	}
	places, err := q.PlacesOfSources(ctx, ids)
	for _, p := range places {
		c := &list[at[p.Source]]
		place := corpus.Place{Start: int(p.StartByte)}
		if p.Page != nil {
			place.Page = int(*p.Page)
		}
		if p.Section != nil {
			place.Section = *p.Section
		}
		c.Places = append(c.Places, place)
	}
	return list, translate(err, "read the places of a document")
}

// CutChunks stores passages by the numbers of their chunks, of those among chunks that have
// none by this version yet, in one transaction: those of older versions are read up to its end. It runs under the leader's term and returns ErrDeposed when
// another server leads.
func (s PassageStore) CutChunks(ctx context.Context, term int64, chunks []int32, passages map[int32][]corpus.Passage) error {
	return translate(inTx(ctx, s.graph, func(q *db.Queries) error {
		// Before the leader's row: a restore may hold the graph for minutes.
		if err := q.GraphLockShared(ctx); err != nil {
			return err
		}
		if err := holdTerm(ctx, q, term); err != nil {
			return err
		}
		for _, id := range chunks {
			n, err := q.SourceCut(ctx, corpus.CutterVersion, id)
			if err != nil {
				return err
			}
			if n == 0 {
				continue // a job has written it meanwhile, or it has gone
			}
			if err := writePassages(ctx, q, id, passages[id], false); err != nil {
				return err
			}
		}
		return nil
	}), "store the passages of a document")
}
