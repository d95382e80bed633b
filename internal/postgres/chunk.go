package postgres

import (
	"cmp"
	"context"
	"errors"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// WriteChunk writes what a chunk adds to the graph, in one transaction under
// the claim: it has m decide which drafts are concepts already known, stores
// source, concepts, instances and relationships, and saves the checkpoint that
// next makes of the chunk's counts. Of chunks that name a new concept at the same
// moment, in whatever documents, one makes it and the others link it. Writing the same
// chunk again changes nothing.
//
// It returns ErrStale when the claim is not current, ErrCancelled when the job was
// asked to stop, and a CodeConflict Error that no retry helps when another job has
// begun the document since this one did, with its first chunk; then nothing is written.
func (s DocumentStore) WriteChunk(ctx context.Context, c work.Claim, g knowledge.ChunkGraph, m knowledge.Matcher, next func(corpus.Counts) work.Checkpoint) (corpus.Counts, error) {
	var counts corpus.Counts
	var done saved
	write := func(q *db.Queries, alone bool) error {
		alone, err := lockForChunk(ctx, q, c, g, alone)
		if err != nil {
			return err
		}
		row, err := fenced(ctx, q, c)
		if err != nil {
			return err
		}
		w := chunkWriter{q: q, claim: c, graph: g, matcher: m, alone: alone}
		w.graph.Document = asSubmitted(g.Document, row)
		if err := w.write(ctx); err != nil {
			return err
		}
		counts = w.counts
		done, err = checkpoint(ctx, q, c, next(counts))
		return err
	}
	err := inTx(ctx, s.graph, func(q *db.Queries) error { return write(q, false) })
	if errors.Is(err, errNotAlone) {
		err = inTx(ctx, s.graph, func(q *db.Queries) error { return write(q, true) })
	}
	if err != nil {
		return corpus.Counts{}, translate(err, "write a chunk of "+c.JobID)
	}
	_ = s.announce(done) // the next call says it when the job was asked to stop meanwhile
	return counts, nil
}

// errNotAlone ends a transaction that shares the graph and finds, once it holds the lock,
// that it has to take out what another job has read: it is tried again alone.
var errNotAlone = errors.New("another job has written the chunk")

// lockForChunk takes the lock of the graph that writing a chunk seems to need: shared with
// other chunks, or alone, for what replaces what another job has read. Another job may write
// the chunk while it waits, so a shared lock may prove too little: see errNotAlone.
func lockForChunk(ctx context.Context, q *db.Queries, c work.Claim, g knowledge.ChunkGraph, alone bool) (bool, error) {
	if !alone {
		writer, err := q.SourceWriter(ctx, db.SourceWriterParams{
			DocumentID: g.Document.ID, Ontology: g.Document.Ontology, StartByte: int32(g.Chunk.Bytes.Start), EndByte: int32(g.Chunk.Bytes.End),
		})
		if isNoRows(err) || err == nil && writer == c.JobID {
			return false, q.GraphLockShared(ctx)
		}
		if err != nil {
			return false, err
		}
	}
	return true, q.GraphLock(ctx)
}

// fence holds the job's row for the transaction if the claim is current. Who needs the lock
// of the graph too takes that first: a restore may hold it for minutes, and a cancel waits
// for the row.
func fence(ctx context.Context, q *db.Queries, c work.Claim) error {
	_, err := fenced(ctx, q, c)
	return err
}

// fenced is fence, and returns the state of the last checkpoint and the name that the job's
// ontology has now: it may have been renamed since the job began.
func fenced(ctx context.Context, q *db.Queries, c work.Claim) (db.JobFenceRow, error) {
	row, err := q.JobFence(ctx, c.JobID, c.Token, c.Worker)
	switch {
	case isNoRows(err):
		return row, kappa.ErrStale
	case err == nil && row.CancelRequested:
		return row, kappa.ErrCancelled
	}
	return row, err
}

// chunkWriter writes one chunk within a transaction that holds the graph lock, which it may share.
type chunkWriter struct {
	q       *db.Queries
	claim   work.Claim
	graph   knowledge.ChunkGraph
	matcher knowledge.Matcher
	alone   bool // nobody else writes the graph meanwhile
	whole   bool // the document is written in this transaction
	byHand  bool // it is a note, which adds to the concepts of its ontology alone
	counts  corpus.Counts

	document int32   // the document's row
	others   bool    // there are other ontologies
	source   int32   // the chunk's row
	affected []int32 // concepts that an earlier version of the chunk showed
	blocks   map[namePair]bool
	known    map[int32]knownNames // of the concepts that were read by their names
	concepts map[string]int32     // row by the draft's key
	made     []int32              // the rows that are new
}

func (w *chunkWriter) write(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		w.writeSource, w.resolveConcepts, w.writeInstances, w.writeRelationships, w.prune,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// writeSource stores the chunk, and removes what another job had read in it.
func (w *chunkWriter) writeSource(ctx context.Context) error {
	g, d := w.graph, w.graph.Document
	if err := w.checkVersion(ctx); err != nil {
		return err
	}
	if err := checkOntology(ctx, w.q, d.Ontology); err != nil {
		if kappa.ErrorCode(err) != kappa.CodeInternal {
			err = kappa.Permanent(err) // until a person changes the ontology
		}
		return err
	}
	user := int32(w.claim.UserID)
	ontology, err := w.q.OntologyEnsure(ctx, d.Ontology, &user)
	if isNoRows(err) { // another chunk has made it this moment: the next statement sees it
		ontology, err = w.q.OntologyEnsure(ctx, d.Ontology, &user)
	}
	if err != nil {
		return err
	}
	document, err := w.q.DocumentEnsure(ctx, db.DocumentEnsureParams{
		DocumentID: d.ID, OntologyID: ontology.ID, Filename: cmp.Or(d.Filename, corpus.DefaultDocumentFilename),
		ContentType: string(d.ContentType), DocumentKey: d.Key, Apart: d.Apart, SourceType: d.SourceType, SourcePath: d.SourcePath, SourceHostname: d.SourceHostname,
		UserID: &user, JobID: w.claim.JobID,
	})
	if err != nil {
		return err
	}
	w.document, w.others = document, ontology.Others
	row, err := w.q.SourceUpsert(ctx, db.SourceUpsertParams{
		SourceID: corpus.SourceID(d.ID, ontology.Key, g.Chunk.Bytes), Document: document, ChunkNumber: int32(g.Chunk.Number), FullText: g.Chunk.Text,
		StartByte: int32(g.Chunk.Bytes.Start), EndByte: int32(g.Chunk.Bytes.End),
		StartChar: int32(g.Chunk.StartChar), EndChar: int32(g.Chunk.EndChar),
		Words: int32(g.Chunk.Words), Boundary: string(g.Chunk.Boundary), JobID: w.claim.JobID,
		Reader: g.Reader, Reading: g.Reading, IsCut: len(g.Passages) > 0, Cutter: corpus.CutterVersion,
	})
	if err != nil {
		return err
	}
	w.source = row.ID
	if row.Previous != "" && row.Previous != w.claim.JobID && !w.alone {
		return errNotAlone
	}
	if err := w.writePlaces(ctx, row.Previous == ""); err != nil {
		return err
	}
	if err := writePassages(ctx, w.q, w.source, g.Passages, row.Previous == ""); err != nil {
		return err
	}
	if err := writeMeanings(ctx, w.q, w.source, g); err != nil {
		return err
	}
	if row.Previous == "" {
		w.counts.SourcesCreated = 1
		return nil
	}
	return w.clearPrevious(ctx, row.Previous)
}

// clearPrevious removes what another job had read in the chunk.
func (w *chunkWriter) clearPrevious(ctx context.Context, previous string) (err error) {
	if previous != w.claim.JobID {
		if err := takeEvidence(ctx, w.q, []int32{w.source}); err != nil {
			return err
		}
		w.affected, err = w.q.SourceClear(ctx, []int32{w.source})
	}
	return err
}

// writePlaces stores the pages and sections of the chunk.
func (w *chunkWriter) writePlaces(ctx context.Context, added bool) error {
	if added && len(w.graph.Places) == 0 {
		return nil
	}
	p := db.SourcePlacesParams{Source: w.source}
	for _, place := range w.graph.Places {
		p.Starts = append(p.Starts, int32(place.Start))
		p.Pages = append(p.Pages, int32(place.Page))
		p.Sections = append(p.Sections, place.Section)
	}
	return w.q.SourcePlaces(ctx, p)
}

func (w *chunkWriter) writeInstances(ctx context.Context) error {
	p := db.InstanceInsertParams{Source: w.source}
	for _, i := range w.graph.Instances {
		p.Concepts = append(p.Concepts, w.concepts[i.Concept])
		p.Quotes = append(p.Quotes, i.Quote)
		p.Starts = append(p.Starts, int32(i.Span.Start))
		p.Ends = append(p.Ends, int32(i.Span.End))
	}
	n, err := w.q.InstanceInsert(ctx, p)
	w.counts.InstancesCreated = int(n)
	return err
}

// prune removes concepts that the earlier version showed and no quote shows
// any more.
func (w *chunkWriter) prune(ctx context.Context) error {
	if len(w.affected) == 0 {
		return nil
	}
	_, err := w.q.ConceptPrune(ctx, w.affected)
	return err
}
