package postgres

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/ontologies"
)

// PlaceDocument says where a document comes from now. What was read of it stays as it is. It
// returns CodeNotFound for a document that the ontology has not, and CodeForbidden in a frozen
// ontology and for a document of somebody else.
func (s DocumentStore) PlaceDocument(ctx context.Context, p corpus.Placement) error {
	if inNoRow(p.DocumentID, p.Ontology) {
		return documentNotFound(p.DocumentID)
	}
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := q.GraphLock(ctx); err != nil {
			return err
		}
		if err := q.IdentityLock(ctx, p.Ontology, "", p.SourcePath); err != nil {
			return err
		}
		d, err := q.DocumentForPlacement(ctx, p.DocumentID, p.Ontology)
		switch {
		case isNoRows(err):
			return documentNotFound(p.DocumentID)
		case err != nil:
			return err
		case d.LifecycleState == ontologies.LifecycleFrozen:
			return frozen(p.Ontology, "moving its documents")
		case p.Owner != 0 && int(d.UserID) != p.Owner:
			return kappa.NewError(kappa.CodeForbidden, "Document "+p.DocumentID+" was ingested by somebody else; it takes the permission sources:delete")
		case d.SourcePath == p.SourcePath && d.Filename == p.Filename:
			return nil
		}
		if err := q.DocumentPlace(ctx, p.SourcePath, p.Filename, d.ID); err != nil {
			return err
		}
		if err := raiseEpoch(ctx, q, change{kind: knowledge.EpochEdit, act: "document.place", object: p.DocumentID}); err != nil {
			return err
		}
		return record(ctx, q, act{
			action: "document.place", object: "document", id: p.DocumentID,
			before: map[string]string{"source_path": d.SourcePath, "filename": d.Filename},
			after:  map[string]string{"ontology": p.Ontology, "source_path": p.SourcePath, "filename": p.Filename},
		})
	})
	return translate(err, "place a document")
}
