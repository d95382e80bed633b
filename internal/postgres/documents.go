package postgres

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// DocumentStore writes documents to the graph, chunk by chunk.
type DocumentStore struct{ *base }

// Documents returns the store that writes the graph.
func (d *DB) Documents() DocumentStore { return DocumentStore{&d.base} }

// FinishDocument ends the writing of a document: chunks of an earlier version
// that this job did not write go, with what only they showed, and the graph
// gets its next epoch. It returns ErrStale when the claim is not current, and what
// WriteChunk does when another job has begun the document since.
func (s DocumentStore) FinishDocument(ctx context.Context, c kappa.Claim, documentID, ontology string) error {
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := fence(ctx, q, c); err != nil {
			return err
		}
		if err := q.GraphLock(ctx); err != nil {
			return err
		}
		if err := stillWrites(ctx, q, c, documentID, ontology); err != nil {
			return err
		}
		outdated, err := q.SourcesOutdated(ctx, documentID, ontology, c.JobID)
		if err != nil {
			return err
		}
		if err := removeSources(ctx, q, outdated); err != nil {
			return err
		}
		_, err = q.EpochBump(ctx)
		return err
	})
	return translate(err, "finish the document of "+c.JobID)
}

// stillWrites returns an error when another job has begun to write the document
// since c's did: of two that went on, each would leave out what it takes for the
// other's, and remove it at its end.
func stillWrites(ctx context.Context, q *db.Queries, c kappa.Claim, documentID, ontology string) error {
	writer, err := q.DocumentWriter(ctx, documentID, ontology)
	if isNoRows(err) {
		return nil
	}
	if err == nil && writer != c.JobID {
		return kappa.Permanent(conflict("Stopped: job %s has begun to ingest the same document again since, and replaces this one", writer))
	}
	return err
}

// removeSources removes chunks, their quotes and evidence, and the concepts
// and edges that nothing shows any more.
func removeSources(ctx context.Context, q *db.Queries, ids []int32) error {
	if len(ids) == 0 {
		return nil
	}
	concepts, err := q.SourceClear(ctx, ids)
	if err != nil {
		return err
	}
	if err := q.SourceDelete(ctx, ids); err != nil {
		return err
	}
	_, err = q.ConceptPrune(ctx, concepts)
	return err
}
