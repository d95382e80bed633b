package postgres

import (
	"context"
	"errors"
	"math"
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/ontologies"
)

// OntologyStore keeps the ontologies. Names that there are not are CodeNotFound.
type OntologyStore struct{ *base }

// Ontologies returns the store of ontologies.
func (d *DB) Ontologies() OntologyStore { return OntologyStore{&d.base} }

func (s OntologyStore) find(ctx context.Context, q *db.Queries, name string) (db.OntologyFindRow, error) {
	if inNoRow(name) {
		return db.OntologyFindRow{}, ontologyNotFound(name)
	}
	row, err := q.OntologyFind(ctx, name)
	if isNoRows(err) {
		return row, ontologyNotFound(name)
	}
	return row, translate(err, "find an ontology")
}

func ontologyNotFound(name string) error { return notFound("Ontology '%s' not found", name) }

func toNode(r db.OntologyFindRow) ontologies.Node {
	n := ontologies.Node{
		ID: strconv.Itoa(int(r.ID)), Name: r.Name, Description: r.Description, LifecycleState: r.LifecycleState,
		CreationEpoch: r.CreationEpoch, SearchTerms: []string{}, KeepVersions: int(r.KeepVersions),
	}
	if r.CreatedBy != "" {
		n.CreatedBy = &r.CreatedBy
	}
	return n
}

// OntologyNode returns an ontology.
func (s OntologyStore) OntologyNode(ctx context.Context, name string) (ontologies.Node, error) {
	row, err := s.find(ctx, db.New(s.graph), name)
	return toNode(row), err
}

// OntologyDetails returns an ontology and what it holds, with the paths of its first files,
// or for a limit of 0 of all.
func (s OntologyStore) OntologyDetails(ctx context.Context, name string, limit int) (ontologies.Details, error) {
	q := db.New(s.graph)
	row, err := s.find(ctx, q, name)
	if err != nil {
		return ontologies.Details{}, err
	}
	n, err := q.OntologyStatistics(ctx, row.ID)
	if err != nil {
		return ontologies.Details{}, translate(err, "count what an ontology holds")
	}
	files, err := q.OntologyPaths(ctx, row.ID, orAll(limit))
	return ontologies.Details{Ontology: row.Name, Node: new(toNode(row)), Files: orEmpty(files), Statistics: ontologies.Statistics{
		Sources: int(n.Sources), Files: int(n.Files), Concepts: int(n.Concepts), Instances: int(n.Instances), Relationships: int(n.Relationships),
	}}, translate(err, "list the files of an ontology")
}

// orAll is a limit of a statement, of which 0 stands for none.
func orAll(limit int) int32 {
	if limit == 0 {
		return math.MaxInt32
	}
	return int32(limit)
}

// OntologyFiles returns documents of an ontology by their paths, and how many there are in
// all. It returns CodeInvalid for a place whose document is gone.
func (s OntologyStore) OntologyFiles(ctx context.Context, f ontologies.FilesQuery) (files []ontologies.File, total int, err error) {
	q := db.New(s.graph)
	row, err := s.find(ctx, q, f.Ontology)
	if err != nil {
		return nil, 0, err
	}
	after, _ := kappa.ParseCursor(kappa.ListFiles, f.Cursor, kappa.FileKeys)
	p := db.OntologyFilesParams{ID: row.ID, AfterID: int32(after.Key(0, 0)), Most: orAll(f.Limit)}
	if !after.IsZero() {
		p.AfterPath, err = q.DocumentPath(ctx, p.AfterID, row.ID)
		if isNoRows(err) {
			return nil, 0, kappa.NewError(kappa.CodeInvalid, "The document at which the page before ended is gone; list the files from the begin")
		}
		if err != nil {
			return nil, 0, translate(err, "find the place of a page")
		}
	}
	rows, err := q.OntologyFiles(ctx, p)
	if err != nil {
		return nil, 0, translate(err, "list the files of an ontology")
	}
	files = make([]ontologies.File, len(rows))
	for i, r := range rows {
		files[i] = ontologies.File{
			FilePath: r.FilePath, DocumentID: r.DocumentID, SourceType: r.SourceType, Chunks: int(r.Chunks), Concepts: int(r.Concepts), SourceIDs: orEmpty(r.SourceIds),
			Place: kappa.Cursor{List: kappa.ListFiles, Keys: []int64{int64(r.ID)}},
		}
	}
	n, err := q.OntologyStatistics(ctx, row.ID)
	return files, int(n.Files), translate(err, "count the files of an ontology")
}

// CreateOntology adds an ontology, and clears a tombstone of its name. It returns
// CodeConflict when there is one with the name.
func (s OntologyStore) CreateOntology(ctx context.Context, o ontologies.NewOntology) (ontologies.Node, error) {
	var node ontologies.Node
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := beginSubmission(ctx, q); err != nil {
			return err
		}
		_, err := q.OntologyCreate(ctx, o.Name, o.Description, new(int32(o.UserID)))
		if isNoRows(err) {
			return conflict("Ontology '%s' already exists", o.Name)
		}
		if err != nil {
			return err
		}
		if _, err := q.TombstoneClear(ctx, o.Name); err != nil {
			return err
		}
		row, err := s.find(ctx, q, o.Name)
		if err != nil {
			return err
		}
		node = toNode(row)
		return record(ctx, q, ontologyAct("create", o.Name, nil, node))
	})
	return node, translate(err, "create an ontology")
}

func ontologyAct(verb, name string, before, after any) act {
	return act{action: "ontology." + verb, object: "ontology", id: name, before: before, after: after}
}

// SetLifecycle sets the state of an ontology and returns the one before.
func (s OntologyStore) SetLifecycle(ctx context.Context, name, state string) (previous string, err error) {
	if inNoRow(name) {
		return "", ontologyNotFound(name)
	}
	err = inTx(ctx, s.graph, func(q *db.Queries) error {
		previous, err = q.OntologyLifecycle(ctx, state, name)
		if isNoRows(err) {
			return ontologyNotFound(name)
		}
		if err != nil || previous == state {
			return err
		}
		return record(ctx, q, ontologyAct("lifecycle", name, map[string]string{"lifecycle_state": previous}, map[string]string{"lifecycle_state": state}))
	})
	return previous, translate(err, "change an ontology")
}

// RenameOntology gives an ontology another name, with its jobs, and returns how many
// chunks it has. It returns CodeConflict when there is one with the new name or while a
// job reads into either, and CodeForbidden for a frozen one.
func (s OntologyStore) RenameOntology(ctx context.Context, name, newName string) (sources int, err error) {
	if inNoRow(name) {
		return 0, notFound("Ontology '%s' does not exist", name)
	}
	err = inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := q.GraphLock(ctx); err != nil {
			return err
		}
		row, err := q.OntologyFind(ctx, name)
		switch {
		case isNoRows(err):
			return notFound("Ontology '%s' does not exist", name)
		case err != nil:
			return err
		case row.LifecycleState == ontologies.LifecycleFrozen:
			return frozen(name, "renaming")
		}
		if _, err := q.OntologyFind(ctx, newName); !isNoRows(err) {
			if err != nil {
				return err
			}
			return conflict("Ontology '%s' already exists", newName)
		}
		for _, n := range []string{name, newName} {
			if err := notReading(ctx, q, n); err != nil {
				return err
			}
		}
		if _, err := q.OntologyRename(ctx, newName, row.ID); err != nil {
			return err
		}
		if err := q.OntologyRenameJobs(ctx, newName, name); err != nil {
			return err
		}
		if err := q.PauseRename(ctx, newName, name); err != nil {
			return err
		}
		if err := q.LimitRename(ctx, newName, name); err != nil {
			return err
		}
		if _, err := q.TombstoneClear(ctx, newName); err != nil {
			return err
		}
		n, err := q.OntologyStatistics(ctx, row.ID)
		sources = int(n.Sources)
		if err != nil {
			return err
		}
		return record(ctx, q, ontologyAct("rename", name, map[string]string{"name": name}, map[string]string{"name": newName}))
	})
	if violates(err, documentJobConstraint) {
		return 0, conflict("Jobs for the same document wait in '%s' and '%s'; cancel one of them first", name, newName)
	}
	return sources, translate(err, "rename an ontology")
}

// notReading returns CodeConflict while a job reads into an ontology.
func notReading(ctx context.Context, q *db.Queries, name string) error {
	job, err := q.OntologyRunning(ctx, name)
	if isNoRows(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return conflict("Job %s is reading into ontology '%s'; wait for it, or cancel it first", job, name)
}

// RemoveOntology deletes an ontology with its documents and all that nothing else shows,
// in one transaction, and cancels its jobs that have not started. Like RemoveDocument it
// changes nothing and returns texts when it needs their embeddings. It returns
// CodeConflict while a job reads into the ontology.
func (s OntologyStore) RemoveOntology(ctx context.Context, r ontologies.Removal, embedded knowledge.NewEmbeddings) (ontologies.Removed, []string, error) {
	out := ontologies.Removed{Ontology: r.Name, Deleted: true}
	var missing, cancelled []string
	err := inTx(ctx, s.graph, func(q *db.Queries) (err error) {
		if err := q.GraphLock(ctx); err != nil {
			return err
		}
		row, err := s.find(ctx, q, r.Name)
		if err != nil {
			return err
		}
		if cancelled, err = cancelQueued(ctx, q, r.Name); err != nil {
			return err
		}
		if err := notReading(ctx, q, r.Name); err != nil {
			return err
		}
		documents, err := q.OntologyDocuments(ctx, row.ID)
		if err != nil {
			return err
		}
		w := remover{q: q, embedded: embedded}
		if err := w.documents(ctx, documents); err != nil {
			return err
		}
		out.SourcesDeleted, out.ConceptsDeleted, out.JobsCancelled = w.sources, w.concepts, len(cancelled)
		if r.DryRun {
			out.Deleted = false
			return errDryRun
		}
		if missing = w.missing; len(missing) > 0 {
			return errMissingEmbeddings
		}
		if err := q.OntologyDelete(ctx, row.ID); err != nil {
			return err
		}
		if out.TombstoneCleared, err = bury(ctx, q, r); err != nil {
			return err
		}
		if err := raiseEpoch(ctx, q, change{kind: knowledge.EpochEdit, act: "ontology.delete", object: r.Name}); err != nil {
			return err
		}
		return record(ctx, q, ontologyAct("delete", r.Name, toNode(row), nil))
	})
	switch {
	case len(missing) > 0:
		return ontologies.Removed{}, missing, nil
	case errors.Is(err, errDryRun):
		return out, nil, nil
	case err != nil:
		return ontologies.Removed{}, nil, translate(err, "delete an ontology")
	}
	s.committed(cancelled...)
	return out, nil, nil
}

// cancelQueued cancels the jobs of an ontology that have not started.
func cancelQueued(ctx context.Context, q *db.Queries, name string) ([]string, error) {
	ids, err := q.OntologyQueued(ctx, name)
	if err != nil {
		return nil, err
	}
	_, err = q.JobsCancel(ctx, ids)
	return ids, err
}

// bury leaves a tombstone, or clears one.
func bury(ctx context.Context, q *db.Queries, r ontologies.Removal) (cleared bool, err error) {
	if r.KeepTombstone {
		return false, q.TombstoneAdd(ctx, r.Name, given(r.RemovedBy), nil)
	}
	n, err := q.TombstoneClear(ctx, r.Name)
	return n > 0, err
}

func given(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Tombstones returns the names that are blocked.
func (s OntologyStore) Tombstones(ctx context.Context) ([]ontologies.Tombstone, error) {
	rows, err := db.New(s.graph).TombstoneList(ctx)
	list := make([]ontologies.Tombstone, len(rows))
	for i, r := range rows {
		list[i] = ontologies.Tombstone{Name: r.Name, RemovedBy: r.RemovedBy, RemovedAt: kappa.At(r.RemovedAt), Reason: r.Reason}
	}
	return list, translate(err, "list tombstones")
}

// ClearTombstones frees the names that are blocked, or for a name only that one, and
// returns which.
func (s OntologyStore) ClearTombstones(ctx context.Context, name string) (names []string, err error) {
	if inNoRow(name) {
		return nil, notFound("No tombstone of '%s'", name)
	}
	err = inTx(ctx, s.graph, func(q *db.Queries) error {
		if name == "" {
			names, err = q.TombstoneFlush(ctx)
		} else {
			var n int64
			if n, err = q.TombstoneClear(ctx, name); err == nil && n == 0 {
				return notFound("No tombstone of '%s'", name)
			}
			names = []string{name}
		}
		if err != nil {
			return err
		}
		for _, n := range names {
			if err := record(ctx, q, ontologyAct("clear-tombstone", n, nil, nil)); err != nil {
				return err
			}
		}
		return nil
	})
	return names, translate(err, "clear tombstones")
}
