package postgres

import (
	"context"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// Standing returns what stands of a document besides the version that the job of a claim brings. It
// returns ErrStale and ErrCancelled as WriteChunk does.
func (s DocumentStore) Standing(ctx context.Context, c work.Claim, d corpus.Document) (corpus.Standing, error) {
	q := db.New(s.graph)
	row, err := fenced(ctx, q, c)
	if err != nil {
		return corpus.Standing{}, translate(err, "see what stands of the document of "+c.JobID)
	}
	standing, err := standingOf(ctx, q, c, asSubmitted(d, row))
	return standing, translate(err, "see what stands of the document of "+c.JobID)
}

func standingOf(ctx context.Context, q *db.Queries, c work.Claim, d corpus.Document) (corpus.Standing, error) {
	row, err := q.DocumentStanding(ctx, db.DocumentStandingParams{
		SubmittedAt: d.SubmittedAt, Owner: int32(c.UserID), Replaces: string(d.Replaces), Ontology: d.Ontology, DocumentID: d.ID,
		DocumentKey: d.Key, SourceType: d.SourceType, SourcePath: d.SourcePath, SourceHostname: d.SourceHostname,
	})
	return corpus.Standing{LaterJob: row.LaterJob, Earlier: row.Earlier > 0}, err
}

// WriteVersion writes a new version of a document, in one transaction under the claim: its chunks
// as WriteChunk does, its end as FinishDocument does, and the checkpoint that next makes of what
// each chunk has added. Until then the version before stands, and nothing of this one.
//
// Where it needs the embedding of a text that v has not, WriteVersion changes nothing and returns
// the missing texts. It returns a SupersededError when a later version stands, and the errors of
// WriteChunk.
func (s DocumentStore) WriteVersion(ctx context.Context, c work.Claim, v knowledge.DocumentVersion, next func([]corpus.Counts) work.Checkpoint) (replaced, missing []string, err error) {
	var done saved
	err = inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := q.GraphLock(ctx); err != nil {
			return err
		}
		row, err := fenced(ctx, q, c)
		if err != nil {
			return err
		}
		v.Document = asSubmitted(v.Document, row)
		counts, err := writeChunks(ctx, q, c, v)
		if err != nil {
			return err
		}
		w := remover{q: q, embedded: v.Embedded}
		if replaced, err = w.outdated(ctx, c, v.Document); err != nil {
			return err
		}
		if missing = w.missing; len(missing) > 0 {
			return errMissingEmbeddings
		}
		if err := q.ReadingsForget(ctx, c.JobID); err != nil {
			return err
		}
		if done, err = checkpoint(ctx, q, c, next(counts)); err != nil {
			return err
		}
		return raiseEpoch(ctx, q, change{kind: knowledge.EpochIngestion, act: knowledge.ActIngest, job: c.JobID, object: v.Document.ID})
	})
	if len(missing) > 0 {
		return nil, missing, nil
	}
	if err != nil {
		return nil, nil, translate(err, "write the document of "+c.JobID)
	}
	_ = s.announce(done) // the job is about to end, whatever was asked of it meanwhile
	return replaced, nil, nil
}

// asSubmitted returns a document as its job says of it now; see JobFence.
func asSubmitted(d corpus.Document, row db.JobFenceRow) corpus.Document {
	d.Ontology = or(row.Ontology, d.Ontology)
	if d.Versioned() {
		d.SubmittedAt = row.SubmittedAt
	}
	return d
}

// writeChunks writes the chunks of a document, for a transaction that holds the graph alone.
func writeChunks(ctx context.Context, q *db.Queries, c work.Claim, v knowledge.DocumentVersion) ([]corpus.Counts, error) {
	counts := make([]corpus.Counts, 0, len(v.Chunks))
	for _, g := range v.Chunks {
		g.Document = v.Document
		w := chunkWriter{q: q, claim: c, graph: g, matcher: v.Matcher(), alone: true, whole: true}
		if err := w.write(ctx); err != nil {
			return nil, err
		}
		counts = append(counts, w.counts)
	}
	return counts, nil
}

// checkVersion has the first chunk of a document wait for that of another version, and refuses it
// when a later version stands, or when an earlier one does that this one replaces: the document
// is then to be written as a whole. Later chunks are refused when the document is not the job's any
// more.
func (w *chunkWriter) checkVersion(ctx context.Context) error {
	d := w.graph.Document
	switch {
	case w.graph.Chunk.Number > 1:
		return stillWrites(ctx, w.q, w.claim, d)
	case !d.Versioned():
		return nil
	}
	if !w.alone {
		if err := w.q.IdentityWriteLock(ctx, d.Ontology, or(d.Key, ""), or(d.SourcePath, "")); err != nil {
			return err
		}
	}
	return mayStand(ctx, w.q, w.claim, d, w.whole || d.Beside)
}

// mayStand returns an error when a version of a document may not be written.
func mayStand(ctx context.Context, q *db.Queries, c work.Claim, d corpus.Document, beside bool) error {
	if !d.Versioned() {
		return nil
	}
	standing, err := standingOf(ctx, q, c, d)
	switch {
	case err != nil:
		return err
	case standing.LaterJob != "":
		return &corpus.SupersededError{JobID: standing.LaterJob}
	case standing.Earlier && !beside:
		return corpus.ErrEarlierStands
	}
	return nil
}

// retire keeps what documents are as earlier versions, before they go, and forgets the oldest. The
// document that takes their place stands from the same moment.
func retire(ctx context.Context, q *db.Queries, documents []int32, jobID string, by corpus.Document) error {
	if len(documents) == 0 {
		return nil
	}
	now, err := q.SubmissionMoment(ctx)
	if err != nil {
		return err
	}
	if err := q.DocumentStandsFrom(ctx, now, by.ID, by.Ontology); err != nil {
		return err
	}
	if err := q.VersionsRetire(ctx, now, jobID, documents); err != nil {
		return err
	}
	if err := q.VersionsKeepChunks(ctx, documents); err != nil {
		return err
	}
	if err := q.VersionsKeepPassages(ctx, documents); err != nil {
		return err
	}
	return q.VersionsPrune(ctx, documents)
}

// superseded takes out what was written of a version of which a later one stands.
func superseded(ctx context.Context, q *db.Queries, d corpus.Document) error {
	row, err := q.DocumentForRemoval(ctx, d.ID, d.Ontology)
	if err != nil {
		return err
	}
	w := remover{q: q, lenient: true}
	if err := w.documents(ctx, []int32{row.ID}); err != nil {
		return err
	}
	return raiseEpoch(ctx, q, change{kind: knowledge.EpochEdit, act: "document.delete", object: d.ID})
}
