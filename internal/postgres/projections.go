package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge/projection"
	"github.com/kappagraph/kappa/work"
)

// ProjectionStore reads what is projected, and keeps the projections.
type ProjectionStore struct{ *base }

// Projections returns the store of projections.
func (d *DB) Projections() ProjectionStore { return ProjectionStore{&d.base} }

// ontologyID returns the number of an ontology, nil for projection.AllOntologies. It returns
// CodeNotFound for an unknown one.
func ontologyID(ctx context.Context, q *db.Queries, name string) (*int32, error) {
	if name == projection.AllOntologies {
		return nil, nil //nolint:nilnil // no number is the answer
	}
	id, err := q.OntologyIDByName(ctx, name)
	if isNoRows(err) {
		return nil, notFound("Ontology '%s' does not exist", name)
	}
	return &id, translate(err, "find an ontology")
}

// ProjectionInput identifies what a projection would be made of now. It returns
// CodeNotFound for an unknown ontology.
func (s ProjectionStore) ProjectionInput(ctx context.Context, q projection.Query, model string) (in projection.Input, err error) {
	err = GraphStore(s).View(ctx, func(view *GraphSnapshot) error {
		in, _, err = projectionInput(ctx, view.q, q, model)
		return err
	})
	return in, err
}

func projectionInput(ctx context.Context, queries *db.Queries, q projection.Query, model string) (projection.Input, *int32, error) {
	id, err := ontologyID(ctx, queries, q.Ontology)
	if err != nil {
		return projection.Input{}, nil, err
	}
	row, err := queries.ProjectionInput(ctx, db.ProjectionInputParams{
		Model: model, OntologyID: id,
		OfConcepts: q.Source == projection.ProjectConcepts || q.Source == projection.ProjectCombined,
		OfSources:  q.Source == projection.ProjectSources || q.Source == projection.ProjectCombined,
		OfTypes:    q.Source == projection.ProjectVocabulary,
	})
	return projection.Input{Ontology: q.Ontology, Items: int(row.Items), Fingerprint: row.Fingerprint, Epoch: row.Epoch}, id,
		translate(err, "read what a projection is made of")
}

// ProjectionItems returns what a projection places, up to projection.MaxItems of each
// kind, and identifies it.
func (s ProjectionStore) ProjectionItems(ctx context.Context, q projection.Query, model string) (items []projection.Item, in projection.Input, err error) {
	err = GraphStore(s).View(ctx, func(view *GraphSnapshot) error {
		var id *int32
		if in, id, err = projectionInput(ctx, view.q, q, model); err != nil {
			return err
		}
		for _, read := range map[string][]func(context.Context, *db.Queries, *int32, string) ([]projection.Item, error){
			projection.ProjectConcepts: {projectedConcepts}, projection.ProjectSources: {projectedSources},
			projection.ProjectCombined: {projectedConcepts, projectedSources}, projection.ProjectVocabulary: {projectedTypes},
		}[q.Source] {
			list, err := read(ctx, view.q, id, model)
			if err != nil {
				return translate(err, "read what is projected")
			}
			items = append(items, list...)
		}
		return nil
	})
	return items[:min(len(items), projection.MaxItems)], in, err
}

func projectedConcepts(ctx context.Context, q *db.Queries, ontology *int32, model string) ([]projection.Item, error) {
	rows, err := q.ProjectedConcepts(ctx, ontology, model, projection.MaxItems)
	items := make([]projection.Item, len(rows))
	for i, r := range rows {
		items[i] = projection.Item{
			ID: r.ConceptID, Label: r.Label, Kind: "concept", Grounding: &r.Grounding, Degree: new(int(r.Degree)), Vector: r.Vector,
		}
		if r.Ontology != "" {
			items[i].Ontology = &r.Ontology
		}
	}
	return items, err
}

func projectedSources(ctx context.Context, q *db.Queries, ontology *int32, model string) ([]projection.Item, error) {
	rows, err := q.ProjectedSources(ctx, model, ontology, projection.MaxItems)
	items := make([]projection.Item, len(rows))
	for i, r := range rows {
		items[i] = projection.Item{
			ID: r.SourceID, Label: fmt.Sprintf("%s, chunk %d", r.Filename, r.ChunkNumber), Kind: "source",
			Ontology: &r.Ontology, Degree: new(int(r.Concepts)), Vector: r.Vector,
		}
		if r.Piece > 0 {
			items[i].Label += fmt.Sprintf(", piece %d", r.Piece+1)
		}
	}
	return items, err
}

func projectedTypes(ctx context.Context, q *db.Queries, _ *int32, model string) ([]projection.Item, error) {
	rows, err := q.ProjectedTypes(ctx, model)
	items := make([]projection.Item, len(rows))
	for i, r := range rows {
		items[i] = projection.Item{ID: r.Name, Label: r.Name, Kind: "relationship_type", Grounding: r.AvgGrounding, Degree: new(int(r.Edges)), Vector: r.Vector}
	}
	return items, err
}

// SaveProjection keeps the projection that a job has made, in the place of the one before.
// It may be repeated. It returns ErrStale when the claim is not current, and CodeNotFound
// when the ontology is gone.
func (s ProjectionStore) SaveProjection(ctx context.Context, c work.Claim, q projection.Query, p projection.Projection) error {
	id, err := ontologyID(ctx, s.q(), q.Ontology)
	if err != nil {
		return err
	}
	parameters, err := json.Marshal(q)
	if err != nil {
		return fmt.Errorf("encode the parameters of a projection: %w", err)
	}
	body, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("encode a projection: %w", err)
	}
	n, err := s.q().ProjectionSave(ctx, db.ProjectionSaveParams{
		JobID: c.JobID, ClaimToken: c.Token, Worker: c.Worker, OntologyID: id, Source: q.Source, Changelist: p.ChangelistID,
		GraphEpoch: p.GraphEpoch, Items: int32(len(p.Places)), Parameters: parameters, Body: body,
	})
	if err == nil && n == 0 {
		return kappa.ErrStale
	}
	return translate(err, "keep a projection")
}

// Projection returns the projection that is kept of an ontology and a kind of item, or
// CodeNotFound.
func (s ProjectionStore) Projection(ctx context.Context, ontology, source string) (projection.Kept, error) {
	q := db.New(s.graph)
	id, err := ontologyID(ctx, q, ontology)
	if err != nil {
		return projection.Kept{}, err
	}
	row, err := q.ProjectionRead(ctx, id, source)
	if isNoRows(err) {
		return projection.Kept{}, notFound("No projection of the %s of '%s' is kept: make one with POST /projection/{ontology}/regenerate or kg projection regenerate", source, ontology)
	}
	kept := projection.Kept{Changelist: row.Changelist, Body: row.Body}
	if err == nil {
		err = json.Unmarshal(row.Parameters, &kept.Query)
	}
	return kept, translate(err, "read a projection")
}

// LookedAtProjection records that somebody looks at a projection. One that is not kept is no
// error.
func (s ProjectionStore) LookedAtProjection(ctx context.Context, ontology, source string) error {
	q := db.New(s.graph)
	id, err := ontologyID(ctx, q, ontology)
	if err != nil {
		return err
	}
	return translate(q.ProjectionLooked(ctx, id, source), "record that a projection is looked at")
}

// ProjectionsLookedAt returns what the projections were made with that somebody has looked
// at within a week, those first that were made first.
func (s ProjectionStore) ProjectionsLookedAt(ctx context.Context) ([]projection.Query, error) {
	rows, err := db.New(s.graph).ProjectionsLookedAt(ctx)
	list := make([]projection.Query, len(rows))
	for i, r := range rows {
		if err := json.Unmarshal(r.Parameters, &list[i]); err != nil {
			return nil, fmt.Errorf("decode the parameters of a projection: %w", err)
		}
		list[i].Ontology, list[i].Source = cmp.Or(r.Ontology, projection.AllOntologies), r.Source
		list[i].Force, list[i].CreateArtifact = false, false
	}
	return list, translate(err, "list the projections that are looked at")
}

// RemoveProjection deletes the projections of an ontology, of one kind of item or of all
// for "", and returns how many; a dry run is rolled back. It returns CodeNotFound where
// there is none.
func (s ProjectionStore) RemoveProjection(ctx context.Context, ontology, source string, dry bool) (n int64, err error) {
	err = inTx(ctx, s.graph, func(q *db.Queries) error {
		id, err := ontologyID(ctx, q, ontology)
		if err != nil {
			return err
		}
		if n, err = q.ProjectionDelete(ctx, id, source); err == nil && n == 0 {
			return notFound("No projection of '%s' is kept", ontology)
		}
		return undoneIf(dry, err)
	})
	return n, translate(unlessDry(err), "delete projections")
}
