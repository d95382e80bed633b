package jobs

import (
	"context"
	"strings"

	"github.com/kappagraph/kappa"
)

// Projecting lays the items of an ontology out; see projection.Service.Compute.
type Projecting func(ctx context.Context, q kappa.ProjectionQuery, report func(stage string, percent int) error) (kappa.Projection, error)

// projections says what a projection is made of, and keeps it.
type projections interface {
	// Changelist identifies the input of q, and Kept that of the one that is kept, "" for
	// none.
	Changelist(ctx context.Context, q kappa.ProjectionQuery) (current, kept string, err error)
	SaveProjection(ctx context.Context, c kappa.Claim, q kappa.ProjectionQuery, p kappa.Projection) error
}

// projectionResult is the result of a job of the type projection.
type projectionResult struct {
	Success      bool    `json:"success"`
	Status       string  `json:"status"` // computed or skipped
	Ontology     string  `json:"ontology"`
	Source       string  `json:"embedding_source"`
	Algorithm    string  `json:"algorithm"`
	Concepts     int     `json:"concept_count"`
	Changelist   string  `json:"changelist_id"`
	Milliseconds int64   `json:"computation_time_ms"`
	StorageKey   string  `json:"storage_key"`
	Warning      *string `json:"storage_warning"` // always null: what cannot be kept fails
	ArtifactID   *int    `json:"artifact_id"`     // null when none was asked for
}

// NewProjection returns the job type projection: it lays the items of an ontology out and
// keeps the picture, in the place of the one before. It yields at each turn of the
// algorithm and each block of rows that is compared. An attempt begins anew, and comes to
// the same picture.
func NewProjection(compute Projecting, store projections, claims checkpointer, artifacts artifactSaver, retry kappa.Retrying) kappa.JobType {
	read := dataOf(kappa.NewProjectionQuery(kappa.AllOntologies), `{"ontology": "Energy"}`, func(q kappa.ProjectionQuery) error { return q.Validate("body", "data.") })
	return typed(kappa.JobType{
		Name: kappa.TypeProjection, Summary: "Lays concepts, sources or relationship types out in a picture.", Lane: "maintenance",
		Schedulable: true, Retryable: true,
	}, read, func(ctx context.Context, c kappa.Claim, q kappa.ProjectionQuery) (any, error) {
		result := projectionResult{Success: true, Status: "skipped", Ontology: q.Ontology, Source: q.Source, Algorithm: q.Algorithm, StorageKey: "projections/" + q.Ontology + "/" + q.Source}
		current, kept, err := store.Changelist(ctx, q)
		if err != nil || current == kept && !q.Force && !q.CreateArtifact {
			result.Changelist = kept
			return result, err
		}
		p, err := compute(ctx, q, func(stage string, percent int) error {
			return retry(ctx, "store a checkpoint", func(ctx context.Context) error {
				return claims.Checkpoint(ctx, c, kappa.Checkpoint{Progress: kappa.Progress{Stage: stage, Percent: percent}, Emit: true})
			})
		})
		if err != nil {
			return nil, err
		}
		if err := retry(ctx, "keep the projection", func(ctx context.Context) error { return store.SaveProjection(ctx, c, q, p) }); err != nil {
			return nil, err
		}
		result.Status, result.Concepts, result.Changelist, result.Milliseconds = "computed", len(p.Places), p.ChangelistID, p.Statistics.Milliseconds
		if q.CreateArtifact {
			again := q
			again.Force = true // computed again, it is to be made and not skipped
			result.ArtifactID, err = keepArtifact(ctx, c, artifacts, retry, resultOf{projectionLabel(q), p.GraphEpoch, again, p})
		}
		return result, err
	})
}

// projectionLabel says what a projection is that is kept besides.
func projectionLabel(q kappa.ProjectionQuery) kappa.ArtifactLabel {
	label := kappa.ArtifactLabel{
		Type: kappa.ArtifactProjection, Representation: kappa.RepresentationOfProjection,
		Name: new(q.Source + " of " + strings.ReplaceAll(q.Ontology, kappa.AllOntologies, "all ontologies")),
	}
	if q.Ontology != kappa.AllOntologies {
		label.Ontology = &q.Ontology
	}
	return label
}
