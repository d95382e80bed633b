package postgres

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// NoteStore keeps what people and agents write into the graph.
type NoteStore struct{ *base }

// Notes returns the store of what is written by hand.
func (d *DB) Notes() NoteStore { return NoteStore{&d.base} }

// noteJob stands for the job of a document that no job has written.
const noteJob = "note"

// WriteNote writes a note as a document with one chunk, in one transaction: it has m
// decide which of the note's concepts are known already, and asks check whether that may
// stand. It returns CodeNotFound for a concept that the note names and that is not
// there, CodeInvalid for a relationship of a concept with itself, CodeForbidden in a
// frozen ontology, and check's error as it is; then nothing is written.
func (s NoteStore) WriteNote(ctx context.Context, n knowledge.NoteGraph, m knowledge.Matcher, check func() error) (knowledge.WrittenNote, error) {
	var out knowledge.WrittenNote
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := beginSubmission(ctx, q); err != nil {
			return err
		}
		if err := q.GraphLock(ctx); err != nil {
			return err
		}
		if err := checkOntology(ctx, q, n.Note.Ontology); err != nil {
			return err
		}
		if err := q.ContentInsert(ctx, n.Graph.Document.ID, n.Body); err != nil {
			return err
		}
		w := noteWriter{note: n, chunkWriter: chunkWriter{q: q, claim: work.Claim{JobID: noteJob, UserID: n.Note.UserID}, graph: n.Graph, matcher: m, alone: true, byHand: true}}
		if err := w.write(ctx, check); err != nil {
			return err
		}
		var err error
		if out, err = w.written(ctx); err != nil {
			return err
		}
		if err := raiseEpoch(ctx, q, change{kind: knowledge.EpochEdit, act: knowledge.ActNote, object: out.DocumentID}); err != nil {
			return err
		}
		return record(ctx, q, act{action: "graph.write", object: "ontology", id: n.Note.Ontology, after: map[string]any{
			"document_id": out.DocumentID, "concepts": len(out.Concepts), "edges": len(out.Edges), "provenance": n.Note.Provenance,
		}})
	})
	return out, translate(err, "write into the graph")
}

// noteWriter writes a note within a transaction that holds the graph lock.
type noteWriter struct {
	chunkWriter
	note knowledge.NoteGraph
}

func (w *noteWriter) write(ctx context.Context, check func() error) error {
	for _, step := range []func(context.Context) error{
		w.writeSource, w.resolveConcepts, func(context.Context) error { return check() }, w.markMade, w.findKnown, w.ensureHandTypes, w.writeInstances, w.writeRelationships,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// markMade says of the concepts that are new who made them.
func (w *noteWriter) markMade(ctx context.Context) error {
	return w.q.ConceptsMadeBy(ctx, w.note.Note.Provenance, w.made)
}

// findKnown finds the concepts that the note names and that are there.
func (w *noteWriter) findKnown(ctx context.Context) error {
	for key, id := range w.note.Known {
		row, err := conceptNumber(ctx, w.q, id)
		if err != nil {
			return err
		}
		w.concepts[key] = row
	}
	for key, label := range w.note.Named {
		row, err := w.q.ConceptNamed(ctx, naming.LabelKey(label), w.document)
		if isNoRows(err) {
			return notFound("No concept is called '%s'; make it first, or in the same batch", label)
		}
		if err != nil {
			return err
		}
		w.concepts[key] = row
	}
	for i, r := range w.graph.Relationships {
		if w.concepts[r.From] == w.concepts[r.To] {
			return brokenMember("edges["+itoa(i)+"].to_concept_id", "must be another concept than that it leads from")
		}
	}
	return nil
}

// ensureHandTypes adds the relationship types that are new, in the category of the note.
func (w *noteWriter) ensureHandTypes(ctx context.Context) error {
	var types []vocabulary.RelationshipType
	for _, e := range w.note.Note.Edges {
		types = append(types, vocabulary.RelationshipType{Name: typeName(e.Type), Category: e.HandCategory()})
	}
	if len(types) == 0 {
		return nil
	}
	_, err := ensureTypes(ctx, w.q, types)
	return err
}

// written returns what became of the note.
func (w *noteWriter) written(ctx context.Context) (knowledge.WrittenNote, error) {
	out := knowledge.WrittenNote{
		Concepts: []knowledge.WrittenConcept{}, Edges: []knowledge.WrittenEdge{}, Errors: []string{},
		DocumentID: w.graph.Document.ID, EdgesCreated: w.counts.RelationshipsCreated,
	}
	var numbers []int32
	for _, row := range w.concepts {
		numbers = append(numbers, row)
	}
	rows, err := w.q.ConceptsPublic(ctx, numbers)
	if err != nil {
		return out, err
	}
	ids := map[int32]string{}
	for _, r := range rows {
		ids[r.ID] = r.ConceptID
	}
	made := map[int32]bool{}
	for _, row := range w.made {
		made[row] = true
	}
	for _, d := range w.graph.Drafts {
		row := w.concepts[d.Key]
		c, err := showConcept(ctx, w.q, ids[row])
		if err != nil {
			return out, err
		}
		if c.MatchedExisting = !made[row]; c.MatchedExisting {
			out.Matched++
		} else {
			out.Created++
		}
		out.Concepts = append(out.Concepts, c)
	}
	for _, r := range w.graph.Relationships {
		out.Edges = append(out.Edges, knowledge.WrittenEdge{
			FromID: ids[w.concepts[r.From]], ToID: ids[w.concepts[r.To]], Type: typeName(r.Type), Confidence: r.Confidence,
		})
	}
	return out, nil
}

// WrittenConcept returns a concept as those see it who edit it. It returns CodeNotFound
// for an unknown id.
func (s NoteStore) WrittenConcept(ctx context.Context, id string) (knowledge.WrittenConcept, error) {
	c, err := showConcept(ctx, db.New(s.graph), id)
	return c, translate(err, "read a concept")
}

// conceptNumber returns the number of a concept. It returns CodeNotFound for an unknown id,
// which one that was read before may have become.
func conceptNumber(ctx context.Context, q *db.Queries, id string) (int32, error) {
	row, err := q.ConceptNumber(ctx, id)
	if isNoRows(err) {
		err = notFound("Concept '%s' not found", id)
	}
	return row, err
}

func showConcept(ctx context.Context, q *db.Queries, id string) (knowledge.WrittenConcept, error) {
	r, err := q.ConceptShow(ctx, id)
	if isNoRows(err) {
		return knowledge.WrittenConcept{}, notFound("Concept '%s' not found", id)
	}
	if err != nil {
		return knowledge.WrittenConcept{}, err
	}
	c := knowledge.WrittenConcept{
		ConceptID: r.ConceptID, Label: r.Label, SearchTerms: r.SearchTerms, Ontologies: r.Ontologies, CreationMethod: r.CreationMethod,
		HasEmbedding: r.HasEmbedding, MatchedExisting: true, CreatedAt: kappa.At(r.CreatedAt),
	}
	if r.Description != "" {
		c.Description = &r.Description
	}
	if len(r.Ontologies) > 0 {
		c.Ontology = &r.Ontologies[0]
	}
	return c, nil
}
