package postgres

import (
	"context"
	"encoding/json"
	"math"
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// ArtifactStore keeps the results that users want to keep.
type ArtifactStore struct{ *base }

// Artifacts returns the store of artifacts.
func (d *DB) Artifacts() ArtifactStore { return ArtifactStore{&d.base} }

// AddArtifact keeps a result for a user, computed from the graph as of its epoch, or as
// it is now without one. It returns a CodeInvalid Error for an epoch that the graph has
// not reached.
func (s ArtifactStore) AddArtifact(ctx context.Context, a artifacts.NewArtifact) (artifacts.Artifact, error) {
	if err := a.Validate(); err != nil {
		return artifacts.Artifact{}, err
	}
	p := db.ArtifactInsertParams{
		ArtifactType: a.Type, Representation: a.Representation, Name: a.Name, OwnerID: int32(a.OwnerID), Parameters: a.Parameters,
		Metadata: a.Metadata, Ontology: a.Ontology, ConceptIds: a.ConceptIDs, Payload: a.Payload,
	}
	if a.GraphEpoch > 0 {
		p.GraphEpoch = &a.GraphEpoch
	}
	if a.ExpiresAt != nil {
		p.ExpiresAt = &a.ExpiresAt.Time
	}
	if a.QueryDefinitionID != nil {
		p.QueryDefinitionID = new(int64(*a.QueryDefinitionID))
	}
	var id int64
	err := inTx(ctx, s.jobs, func(q *db.Queries) (err error) {
		if err := beginSubmission(ctx, q); err != nil {
			return err
		}
		id, err = q.ArtifactInsert(ctx, p)
		return err
	})
	if isNoRows(err) {
		return artifacts.Artifact{}, kappa.Invalid(kappa.FieldError{
			In: "body", Name: "graph_epoch", Rule: "must be at most the epoch of the graph, got " + strconv.FormatInt(a.GraphEpoch, 10),
		})
	}
	if err != nil {
		return artifacts.Artifact{}, translate(err, "keep an artifact")
	}
	return s.Artifact(ctx, int(id))
}

// SaveArtifact keeps the result of a job for the job's user, and returns its id. A job
// keeps one artifact: SaveArtifact may be repeated when its answer was lost, and a
// later attempt replaces what an earlier one kept. It returns ErrStale when the claim
// is not current.
func (s ArtifactStore) SaveArtifact(ctx context.Context, c work.Claim, a artifacts.NewArtifact) (int, error) {
	id, err := s.q().ArtifactSave(ctx, db.ArtifactSaveParams{
		JobID: c.JobID, ClaimToken: c.Token, Worker: c.Worker, ArtifactType: a.Type, Representation: a.Representation, Name: a.Name,
		GraphEpoch: a.GraphEpoch, Parameters: a.Parameters, Ontology: a.Ontology, ConceptIds: a.ConceptIDs, Payload: a.Payload,
	})
	if isNoRows(err) {
		return 0, kappa.ErrStale
	}
	return int(id), translate(err, "keep the artifact of "+c.JobID)
}

// Artifact returns an artifact without its payload. It returns CodeNotFound for an
// unknown id, and for an artifact that has expired.
func (s ArtifactStore) Artifact(ctx context.Context, id int) (artifacts.Artifact, error) {
	row, err := s.q().ArtifactByID(ctx, int64(id))
	if isNoRows(err) {
		return artifacts.Artifact{}, artifactNotFound(id)
	}
	return toArtifact(row), translate(err, "read an artifact")
}

// ArtifactPayload returns the payload of an artifact, or CodeNotFound.
func (s ArtifactStore) ArtifactPayload(ctx context.Context, id int) (json.RawMessage, error) {
	payload, err := s.q().ArtifactPayload(ctx, int64(id))
	if isNoRows(err) {
		return nil, artifactNotFound(id)
	}
	return payload, translate(err, "read the payload of an artifact")
}

// ListArtifacts returns the artifacts that f selects, newest first, and how many there
// are in all.
func (s ArtifactStore) ListArtifacts(ctx context.Context, f artifacts.Filter) (list []artifacts.Artifact, total int, err error) {
	after, _ := kappa.ParseCursor(kappa.ListArtifacts, f.Cursor, kappa.ArtifactKeys)
	p := db.ArtifactListParams{Before: after.Key(0, math.MaxInt64), ArtifactType: f.Type, Representation: f.Representation, Ontology: f.Ontology, Skip: int32(f.Offset), Most: int32(f.Limit)}
	if f.OwnerID != nil {
		p.OwnerID = new(rowID(*f.OwnerID))
	}
	if v := f.Visible; v != nil {
		p.Narrowed, p.Viewer, p.Visible = true, int32(v.Owner), v.IDs
		p.VisibleOntologies, p.VisibleTypes = filterColumns(v.Filters, "artifact_type")
	}
	rows, err := s.q().ArtifactList(ctx, p)
	if err != nil {
		return nil, 0, translate(err, "list artifacts")
	}
	list = make([]artifacts.Artifact, len(rows))
	for i, r := range rows {
		list[i] = toArtifact(r)
	}
	n, err := s.q().ArtifactCount(ctx, db.ArtifactCountParams{
		ArtifactType: p.ArtifactType, Representation: p.Representation, Ontology: p.Ontology, OwnerID: p.OwnerID,
		Narrowed: p.Narrowed, Viewer: p.Viewer, Visible: p.Visible, VisibleOntologies: p.VisibleOntologies, VisibleTypes: p.VisibleTypes,
	})
	return list, int(n), translate(err, "count artifacts")
}

// RemoveArtifact deletes an artifact. It returns CodeNotFound for an unknown id.
func (s ArtifactStore) RemoveArtifact(ctx context.Context, id int) error {
	_, err := s.q().ArtifactDelete(ctx, int64(id))
	if isNoRows(err) {
		return artifactNotFound(id)
	}
	return translate(err, "delete an artifact")
}

// PurgeArtifacts deletes the artifacts that have expired, and files that were begun a day
// ago and never finished.
func (s ArtifactStore) PurgeArtifacts(ctx context.Context) error {
	if err := s.q().ArtifactPurge(ctx); err != nil {
		return translate(err, "purge artifacts")
	}
	return translate(s.q().ArtifactFilePurge(ctx), "purge the files of artifacts")
}

func artifactNotFound(id int) error { return notFound("Artifact not found: %d", id) }

func toArtifact(r db.KgApiShownArtifact) artifacts.Artifact {
	a := artifacts.Artifact{
		ID: int(r.ID), GraphEpoch: r.GraphEpoch, Fresh: r.IsFresh, CreatedAt: kappa.At(r.CreatedAt), HasInline: true,
		Label: artifacts.Label{
			Type: r.ArtifactType, Representation: r.Representation, Name: r.Name, Parameters: r.Parameters, Metadata: r.Metadata,
			Ontology: r.Ontology, ConceptIDs: r.ConceptIds, ExpiresAt: kappa.AtPtr(r.ExpiresAt),
		},
	}
	if r.OwnerID != nil {
		a.OwnerID = new(int(*r.OwnerID))
	}
	if r.QueryDefinitionID != nil {
		a.QueryDefinitionID = new(int(*r.QueryDefinitionID))
	}
	return a
}
