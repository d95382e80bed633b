package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
)

// Versions returns the versions of a document, which any of them names, the newest first. An
// empty ontology stands for the one that took it last. It returns CodeNotFound when neither the
// graph nor what is kept has the document.
func (s LibraryStore) Versions(ctx context.Context, id, ontology string) (corpus.Versions, error) {
	q := s.queries()
	found, err := findVersion(ctx, q, id, ontology)
	if err != nil {
		return corpus.Versions{}, err
	}
	v := corpus.Versions{DocumentID: id, Ontology: found.Ontology, Filename: found.Filename, Keep: int(found.KeepVersions), Versions: []corpus.Version{}}
	document := int32(0)
	if found.Stands {
		document = found.Document
	}
	standing, err := q.VersionsStanding(ctx, document, found.OntologyID, found.Identity)
	if err != nil {
		return v, translate(err, "list the versions of a document")
	}
	kept, err := q.VersionsKept(ctx, found.OntologyID, found.Identity)
	if err != nil {
		return v, translate(err, "list the versions of a document")
	}
	for _, r := range standing {
		v.Versions = append(v.Versions, corpus.Version{
			Version: int(r.Version), DocumentID: r.DocumentID, Filename: r.Filename, ContentType: r.ContentType, Key: r.DocumentKey, SourcePath: r.SourcePath,
			Current: true, IngestedAt: kappa.At(r.CreatedAt), JobID: r.JobID,
			Chunks: int(r.Chunks), Words: int(r.Words), Concepts: int(r.Concepts), Relationships: int(r.Relationships), Row: int(r.ID),
		})
	}
	for _, r := range kept {
		v.Versions = append(v.Versions, corpus.Version{
			Version: int(r.Version), DocumentID: r.DocumentID, Filename: r.Filename, ContentType: r.ContentType, Key: r.DocumentKey, SourcePath: r.SourcePath,
			IngestedAt: kappa.At(r.CreatedAt), RetiredAt: new(kappa.At(r.RetiredAt)), JobID: r.JobID, RetiredBy: &r.RetiredBy,
			Chunks: int(r.Chunks), Words: int(r.Words), Concepts: int(r.Concepts), Relationships: int(r.Relationships), Row: int(r.ID),
		})
	}
	v.Total = len(v.Versions)
	if v.Total > 0 {
		v.DocumentID, v.Filename = v.Versions[0].DocumentID, v.Versions[0].Filename
	}
	return v, nil
}

func findVersion(ctx context.Context, q *db.Queries, id, ontology string) (db.VersionFindRow, error) {
	if inNoRow(id, ontology) {
		return db.VersionFindRow{}, documentNotFound(id)
	}
	found, err := q.VersionFind(ctx, id, ontology)
	if isNoRows(err) {
		return found, documentNotFound(id)
	}
	return found, translate(err, "find a document")
}

// VersionText returns the chunks of a version that Versions has returned, in their order.
func (s LibraryStore) VersionText(ctx context.Context, v corpus.Version) ([]corpus.DocumentChunk, error) {
	if v.Current {
		return s.chunksOf(ctx, int32(v.Row))
	}
	rows, err := s.queries().VersionChunks(ctx, int32(v.Row))
	chunks := make([]corpus.DocumentChunk, len(rows))
	for i, r := range rows {
		chunks[i] = documentChunk(db.DocumentChunksRow(r))
	}
	return chunks, translate(err, "read the chunks of a version")
}

// VersionFacts returns what a version says that Versions has returned.
func (s LibraryStore) VersionFacts(ctx context.Context, v corpus.Version) (facts corpus.VersionFacts, err error) {
	q := s.queries()
	var row db.VersionFactsRow
	var passages []db.VersionPassagesRow
	if v.Current {
		var standing db.VersionFactsStandingRow
		standing, err = q.VersionFactsStanding(ctx, int32(v.Row))
		row = db.VersionFactsRow(standing)
		if err == nil {
			var of []db.VersionPassagesStandingRow
			of, err = q.VersionPassagesStanding(ctx, int32(v.Row))
			for _, p := range of {
				passages = append(passages, db.VersionPassagesRow(p))
			}
		}
	} else {
		row, err = q.VersionFacts(ctx, int32(v.Row))
		if err == nil {
			passages, err = q.VersionPassages(ctx, int32(v.Row))
		}
	}
	if isNoRows(err) {
		return facts, notFound("Version %d of %s is not kept any more", v.Version, v.Filename)
	}
	if err != nil {
		return facts, translate(err, "read what a version says")
	}
	if err := json.Unmarshal(row.Concepts, &facts.Concepts); err != nil {
		return facts, fmt.Errorf("decode the concepts of a version: %w", err)
	}
	if err := json.Unmarshal(row.Relationships, &facts.Relationships); err != nil {
		return facts, fmt.Errorf("decode the relationships of a version: %w", err)
	}
	for _, p := range passages {
		facts.Passages = append(facts.Passages, corpus.VersionPassage{Number: int(p.Number), Section: p.Section, Body: p.Body})
	}
	return facts, nil
}

// KeepVersions sets how many earlier versions of its documents an ontology keeps, forgets those
// beyond, and returns how many it kept before. It returns CodeNotFound for an unknown ontology.
func (s OntologyStore) KeepVersions(ctx context.Context, name string, keep int) (before, forgotten int, err error) {
	err = inTx(ctx, s.graph, func(q *db.Queries) error {
		row, err := s.find(ctx, q, name)
		if err != nil {
			return err
		}
		previous, err := q.OntologyKeepVersions(ctx, int32(keep), row.ID)
		if isNoRows(err) {
			return ontologyNotFound(name)
		}
		if err != nil {
			return err
		}
		n, err := q.VersionsPruneOntology(ctx, row.ID)
		if err != nil {
			return err
		}
		before, forgotten = int(previous), int(n)
		return record(ctx, q, ontologyAct("keep-versions", row.Name, map[string]int{"keep_versions": before}, map[string]int{"keep_versions": keep, "forgotten": forgotten}))
	})
	return before, forgotten, translate(err, "set how many versions an ontology keeps")
}

// forgetVersions removes what is kept of a document that is in the graph no more.
func forgetVersions(ctx context.Context, q *db.Queries, r corpus.Removal) (corpus.Removed, error) {
	found, err := findVersion(ctx, q, r.DocumentID, r.Ontology)
	if err != nil {
		return corpus.Removed{}, err
	}
	if found.Stands || found.Identity == nil {
		return corpus.Removed{}, documentNotFound(r.DocumentID)
	}
	out := corpus.Removed{DocumentID: r.DocumentID, Ontology: found.Ontology, Filename: found.Filename, Deleted: !r.DryRun}
	if err := changeable(found.Ontology, found.LifecycleState); err != nil {
		return out, err
	}
	n, err := q.VersionsForgetIdentity(ctx, found.OntologyID, *found.Identity)
	if err != nil {
		return out, err
	}
	out.VersionsDeleted = int(n)
	pruned, err := q.OntologyPrune(ctx, found.OntologyID)
	out.OntologyDeleted = pruned > 0
	if err != nil {
		return out, err
	}
	if r.DryRun {
		return out, errDryRun
	}
	if err := raiseEpoch(ctx, q, change{kind: knowledge.EpochEdit, act: "document.delete", object: r.DocumentID}); err != nil {
		return out, err
	}
	return out, record(ctx, q, act{action: "document.delete", object: "document", id: r.DocumentID, before: out})
}
