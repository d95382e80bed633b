package postgres

import (
	"context"
	"errors"
	"slices"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
)

// EditConcept changes a concept from what it was, and its new text has an embedding of a
// model. It returns CodeNotFound for an unknown id, and CodeConflict when it is something
// else by now.
func (s NoteStore) EditConcept(ctx context.Context, id string, was, c knowledge.ExtractedConcept, model string, e models.Embedding) (knowledge.WrittenConcept, error) {
	var out knowledge.WrittenConcept
	err := s.changingConcept(ctx, "concept.update", id, func(q *db.Queries, row int32, now knowledge.WrittenConcept) error {
		if is := now.Content(); is.Label != was.Label || is.Description != was.Description || !slices.Equal(is.SearchTerms, was.SearchTerms) {
			return conflict("Concept '%s' was changed meanwhile", id)
		}
		err := q.ConceptEdit(ctx, db.ConceptEditParams{
			ID: row, Label: c.Label, Description: c.Description, SearchTerms: orEmpty(c.SearchTerms), TermKeys: termKeys(c),
		})
		if err != nil {
			return err
		}
		if err := q.MentionsEdit(ctx, db.MentionsEditParams{Concept: row, Label: c.Label, Description: c.Description, SearchTerms: orEmpty(c.SearchTerms)}); err != nil {
			return err
		}
		signature := e.Signature()
		var failed error
		q.EmbeddingReplace(ctx, []db.EmbeddingReplaceParams{{
			Concept: row, Model: model, Vector: e, Signature: signatureBits(signature), Bands: signature.Bands(),
		}}).Exec(func(_ int, err error) { failed = err })
		if failed != nil {
			return failed
		}
		if out, err = showConcept(ctx, q, id); err != nil {
			return err
		}
		return record(ctx, q, act{action: "concept.update", object: "concept", id: id, before: conceptFacts(now), after: conceptFacts(out)})
	})
	return out, translate(err, "change a concept")
}

// RemoveConcept deletes a concept with its quotes and its relationships; a dry run is
// rolled back. It returns CodeNotFound for an unknown id, and CodeForbidden when a frozen
// ontology shows it.
func (s NoteStore) RemoveConcept(ctx context.Context, id string, dry bool) (knowledge.RemovedConcept, error) {
	out := knowledge.RemovedConcept{ConceptID: id, Deleted: !dry}
	err := s.changingConcept(ctx, "concept.delete", id, func(q *db.Queries, row int32, was knowledge.WrittenConcept) error {
		holds, err := q.ConceptHolds(ctx, row)
		if err != nil {
			return err
		}
		out.Label, out.InstancesDeleted, out.RelationshipsDeleted = was.Label, int(holds.Instances), int(holds.Relationships)
		if _, err := q.ConceptRemove(ctx, row); err != nil {
			return err
		}
		return undoneIf(dry, record(ctx, q, act{action: "concept.delete", object: "concept", id: id, before: conceptFacts(was)}))
	})
	return out, translate(unlessDry(err), "delete a concept")
}

// undoneIf returns errDryRun for a dry run that has come to its end, and otherwise err.
func undoneIf(dry bool, err error) error {
	if dry && err == nil {
		return errDryRun
	}
	return err
}

// unlessDry returns the error of a transaction, nil for a dry run.
func unlessDry(err error) error {
	if errors.Is(err, errDryRun) {
		return nil
	}
	return err
}

// changingConcept runs f on a concept under the graph lock and raises the graph's epoch.
// It refuses what a frozen ontology shows.
func (s NoteStore) changingConcept(ctx context.Context, act, id string, f func(q *db.Queries, row int32, was knowledge.WrittenConcept) error) error {
	return inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := beginSubmission(ctx, q); err != nil {
			return err
		}
		if err := q.GraphLock(ctx); err != nil {
			return err
		}
		was, err := showConcept(ctx, q, id)
		if err != nil {
			return err
		}
		if err := checkOntologies(ctx, q, was.Ontologies); err != nil {
			return err
		}
		row, err := conceptNumber(ctx, q, id)
		if err != nil {
			return err
		}
		if err := f(q, row, was); err != nil {
			return err
		}
		return raiseEpoch(ctx, q, change{kind: knowledge.EpochEdit, act: act, object: id})
	})
}

func conceptFacts(c knowledge.WrittenConcept) map[string]any {
	return map[string]any{"label": c.Label, "description": c.Description, "search_terms": c.SearchTerms}
}

// EditEdge sets the confidence of a relationship. It returns CodeNotFound for one that is
// not there, and CodeForbidden when a frozen ontology shows it.
func (s NoteStore) EditEdge(ctx context.Context, e knowledge.WrittenEdge) (knowledge.WrittenEdge, error) {
	err := s.changingEdge(ctx, "edge.update", e, func(q *db.Queries, row db.EdgeByEndsRow) error {
		confidence := clampConfidence(e.Confidence)
		if err := q.EdgeEdit(ctx, db.EdgeEditParams{Confidence: confidence, Src: row.Src, Dst: row.Dst, Type: row.Type}); err != nil {
			return err
		}
		if err := q.EdgeEvidenceEdit(ctx, db.EdgeEvidenceEditParams{Confidence: confidence, Src: row.Src, Dst: row.Dst, Type: row.Type}); err != nil {
			return err
		}
		return record(ctx, q, act{
			action: "edge.update", object: "edge", id: edgeID(e),
			before: map[string]any{"confidence": knowledge.FromReal(row.Confidence)}, after: map[string]any{"confidence": e.Confidence},
		})
	})
	return e, translate(err, "change a relationship")
}

// RemoveEdge deletes a relationship; a dry run is rolled back. It returns CodeNotFound for
// one that is not there, and CodeForbidden when a frozen ontology shows it.
func (s NoteStore) RemoveEdge(ctx context.Context, e knowledge.WrittenEdge, dry bool) (knowledge.RemovedEdge, error) {
	out := knowledge.RemovedEdge{WrittenEdge: e, Deleted: !dry}
	err := s.changingEdge(ctx, "edge.delete", e, func(q *db.Queries, row db.EdgeByEndsRow) error {
		evidence, err := q.EdgeEvidenceCount(ctx, row.Src, row.Dst, row.Type)
		if err != nil {
			return err
		}
		out.Type, out.Confidence, out.EvidenceDeleted = typeName(e.Type), knowledge.FromReal(row.Confidence), int(evidence)
		if err := q.EdgeRemove(ctx, row.Src, row.Dst, row.Type); err != nil {
			return err
		}
		return undoneIf(dry, record(ctx, q, act{action: "edge.delete", object: "edge", id: edgeID(e), before: map[string]any{"confidence": out.Confidence}}))
	})
	return out, translate(unlessDry(err), "delete a relationship")
}

// changingEdge runs f on a relationship under the graph lock and raises the graph's epoch.
// It refuses what a frozen ontology shows.
func (s NoteStore) changingEdge(ctx context.Context, act string, e knowledge.WrittenEdge, f func(q *db.Queries, row db.EdgeByEndsRow) error) error {
	return inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := q.GraphLock(ctx); err != nil {
			return err
		}
		row, err := q.EdgeByEnds(ctx, e.FromID, e.ToID, typeName(e.Type))
		if isNoRows(err) {
			return notFound("Edge not found: %s", edgeID(e))
		}
		if err != nil {
			return err
		}
		ontologies, err := q.EdgeOntologies(ctx, row.Src, row.Dst, row.Type)
		if err != nil {
			return err
		}
		if err := checkOntologies(ctx, q, ontologies); err != nil {
			return err
		}
		if err := f(q, row); err != nil {
			return err
		}
		return raiseEpoch(ctx, q, change{kind: knowledge.EpochEdit, act: act, object: edgeID(e)})
	})
}

// checkOntologies returns the error of checkOntology for the first that has one.
func checkOntologies(ctx context.Context, q *db.Queries, names []string) error {
	for _, name := range names {
		if err := checkOntology(ctx, q, name); err != nil {
			return err
		}
	}
	return nil
}

func edgeID(e knowledge.WrittenEdge) string { return e.FromID + "/" + typeName(e.Type) + "/" + e.ToID }
