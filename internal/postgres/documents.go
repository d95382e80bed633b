package postgres

import (
	"context"
	"errors"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// DocumentStore writes documents to the graph, chunk by chunk.
type DocumentStore struct{ *base }

// Documents returns the store that writes the graph.
func (d *DB) Documents() DocumentStore { return DocumentStore{&d.base} }

// FinishDocument ends the writing of a document, in one transaction: chunks that an earlier
// ingestion of it wrote and this job did not go, as do the documents that it replaces, with
// what only they showed, and the graph gets its next epoch. What stays is as if the document
// alone had been ingested. It returns the ids of the documents that went.
//
// Where that needs the embedding of a text that embedded has not, FinishDocument changes
// nothing and returns the missing texts. It returns ErrStale when the claim is not current,
// what WriteChunk does when another job has begun the document since, and a SupersededError when
// a later version stands: then the document has gone.
func (s DocumentStore) FinishDocument(ctx context.Context, c work.Claim, f corpus.Finishing, embedded knowledge.NewEmbeddings) (replaced, missing []string, err error) {
	var later *corpus.SupersededError
	err = inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := q.GraphLock(ctx); err != nil {
			return err
		}
		row, err := fenced(ctx, q, c)
		if err != nil {
			return err
		}
		d := asSubmitted(f.Document, row)
		if err := stillWrites(ctx, q, c, d); err != nil {
			return err
		}
		err = mayStand(ctx, q, c, d, true)
		if errors.As(err, &later) {
			return superseded(ctx, q, d)
		}
		if err != nil {
			return err
		}
		w := remover{q: q, embedded: embedded}
		if replaced, err = w.outdated(ctx, c, d); err != nil {
			return err
		}
		if missing = w.missing; len(missing) > 0 {
			return errMissingEmbeddings
		}
		if err := q.ReadingsForget(ctx, c.JobID); err != nil {
			return err
		}
		return raiseEpoch(ctx, q, change{
			kind: knowledge.EpochIngestion, act: knowledge.ActIngest, job: c.JobID, object: d.ID,
			concepts: f.Counts.ConceptsCreated, edges: f.Counts.RelationshipsCreated,
		})
	})
	switch {
	case len(missing) > 0:
		return nil, missing, nil
	case err == nil && later != nil:
		return nil, nil, later
	}
	return replaced, nil, translate(err, "finish the document of "+c.JobID)
}

// outdated removes what the end of a document makes outdated, and returns the ids of the
// documents that went.
func (w *remover) outdated(ctx context.Context, c work.Claim, d corpus.Document) (replaced []string, err error) {
	sources, err := w.q.SourcesOutdated(ctx, d.ID, d.Ontology, c.JobID)
	if err != nil {
		return nil, err
	}
	complete := db.DocumentCompleteParams{SubmittedAt: d.SubmittedAt, Replaces: string(d.Replaces), DocumentID: d.ID, Ontology: d.Ontology}
	if err := w.q.DocumentComplete(ctx, complete); err != nil {
		return nil, err
	}
	if d.Replaces == corpus.ReplaceNone {
		return nil, w.chunks(ctx, sources)
	}
	var owner *int32
	if d.Replaces == corpus.ReplaceOwn {
		owner = new(int32(c.UserID))
	}
	earlier, err := w.q.DocumentsReplaced(ctx, d.ID, d.Ontology, owner)
	if err != nil {
		return nil, err
	}
	var documents []int32
	for _, e := range earlier {
		documents, replaced = append(documents, e.ID), append(replaced, e.DocumentID)
	}
	if err := retire(ctx, w.q, documents, c.JobID, d); err != nil {
		return nil, err
	}
	theirs, err := w.q.DocumentSources(ctx, documents)
	if err != nil {
		return nil, err
	}
	if err := w.chunks(ctx, append(sources, theirs...)); err != nil {
		return nil, err
	}
	return replaced, w.q.DocumentsDelete(ctx, documents)
}

// StoredReading returns what a reader has found before in the same text, in whatever
// document; nil when it has not read it.
func (s DocumentStore) StoredReading(ctx context.Context, text, reader string) ([]byte, error) {
	found, err := db.New(s.graph).SourceReading(ctx, text, reader)
	if isNoRows(err) {
		return nil, nil
	}
	return found, translate(err, "find an earlier reading")
}

// KeepReading keeps what a job has had read of a text and has not stored yet, until it
// finishes its document. A claim that is not current keeps nothing.
func (s DocumentStore) KeepReading(ctx context.Context, c work.Claim, text, reader string, reading []byte) error {
	return translate(db.New(s.graph).ReadingKeep(ctx, db.ReadingKeepParams{
		FullText: text, Reader: reader, Reading: reading, JobID: c.JobID, ClaimToken: c.Token, Worker: c.Worker,
	}), "keep a reading of "+c.JobID)
}

// KeptReading returns what KeepReading has kept of a text for a job; nil for nothing.
func (s DocumentStore) KeptReading(ctx context.Context, jobID, text, reader string) ([]byte, error) {
	found, err := db.New(s.graph).ReadingKept(ctx, jobID, text, reader)
	if isNoRows(err) {
		return nil, nil
	}
	return found, translate(err, "find a reading of "+jobID)
}

// stillWrites returns an error when another job has begun to write the document
// since c's did: of two that went on, each would leave out what it takes for the
// other's, and remove it at its end. So it does when the document was deleted since.
func stillWrites(ctx context.Context, q *db.Queries, c work.Claim, d corpus.Document) error {
	writer, err := q.DocumentWriter(ctx, d.ID, d.Ontology)
	if isNoRows(err) {
		if err := mayStand(ctx, q, c, d, false); err != nil {
			return err // another version was complete meanwhile
		}
		return kappa.Permanent(conflict("Stopped: the document was deleted or moved to another ontology while this job was reading it"))
	}
	if err == nil && writer != c.JobID {
		return kappa.Permanent(conflict("Stopped: job %s has begun to ingest the same document again since, and replaces this one", writer))
	}
	return err
}
