package jobs

import (
	"context"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/knowledge/projection"
	"github.com/kappagraph/kappa/work"
)

// Projecting lays the items of an ontology out; see projection.Service.Compute.
type Projecting func(ctx context.Context, q projection.Query, report func(stage string, percent int) error) (projection.Projection, error)

// projections says what a projection is made of, and keeps it.
type projections interface {
	// Changelist identifies the input of q, and Kept that of the one that is kept, "" for
	// none.
	Changelist(ctx context.Context, q projection.Query) (current, kept string, err error)
	SaveProjection(ctx context.Context, c work.Claim, q projection.Query, p projection.Projection) error
	// ProjectionsLookedAt returns what those were made with that somebody has looked at
	// within a week.
	ProjectionsLookedAt(ctx context.Context) ([]projection.Query, error)
}

// projectionData is the data of a job of the type projection.
type projectionData struct {
	projection.Query

	// OnlyLookedAt has the projections made again that somebody has looked at within a week
	// and that are stale, each as it was made before. The query does not matter then.
	OnlyLookedAt bool `json:"only_looked_at"`
}

// projectionResult is the result of a job that makes a projection.
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

// refreshedProjections is the result of a job that makes those again that are looked at.
type refreshedProjections struct {
	Success  bool   `json:"success"`
	Status   string `json:"status"` // computed, or skipped when there was nothing to make
	LookedAt int    `json:"looked_at"`
	Computed int    `json:"computed"`
	Skipped  int    `json:"skipped"` // up to date, or with too few items by now
}

// NewProjection returns the job type projection: it lays the items of an ontology out and
// keeps the picture, in the place of the one before. It yields many times a second. An
// attempt begins anew; with force it comes to the same picture, and else it has nothing to
// do once the picture is kept.
func NewProjection(compute Projecting, store projections, claims checkpointer, artifacts artifactSaver, retry work.Retrying) work.JobType {
	defaults := projectionData{Query: projection.NewQuery(projection.AllOntologies)}
	read := dataOf(defaults, `{"ontology": "Energy"}`, func(d projectionData) error { return d.Validate("body", "data.") })
	return typed(work.JobType{
		Name: projection.TypeProjection, Summary: "Lays concepts, sources or relationship types out in a picture.", Lane: "pictures",
		Schedulable: true, Retryable: true,
	}, read, func(ctx context.Context, c work.Claim, d projectionData) (any, error) {
		p := projecting{claim: c, compute: compute, store: store, claims: claims, artifacts: artifacts, retry: retry}
		if d.OnlyLookedAt {
			return p.refresh(ctx)
		}
		return p.project(ctx, d.Query, 0, 100)
	})
}

// projecting is one attempt.
type projecting struct {
	claim     work.Claim
	compute   Projecting
	store     projections
	claims    checkpointer
	artifacts artifactSaver
	retry     work.Retrying
}

// refresh makes the projections again that are looked at. One that cannot be made any more
// keeps none of the others from it.
func (p projecting) refresh(ctx context.Context) (refreshedProjections, error) {
	result := refreshedProjections{Success: true, Status: "skipped"}
	list, err := p.store.ProjectionsLookedAt(ctx)
	if err != nil {
		return result, err
	}
	result.LookedAt = len(list)
	for i, q := range list {
		made, err := p.project(ctx, q, 100*i/len(list), 100*(i+1)/len(list))
		switch code := kappa.ErrorCode(err); {
		case err == nil && made.Status == "computed":
			result.Status = made.Status
			result.Computed++
		case err == nil, code == kappa.CodeNotFound, code == kappa.CodeInvalid: // it is gone, or nearly empty
			result.Skipped++
		default:
			return result, err
		}
	}
	return result, nil
}

// project makes one projection, unless the one that is kept is of the same input. Its
// progress lies between two percentages.
func (p projecting) project(ctx context.Context, q projection.Query, from, to int) (projectionResult, error) {
	result := projectionResult{Success: true, Status: "skipped", Ontology: q.Ontology, Source: q.Source, Algorithm: q.Algorithm, StorageKey: "projections/" + q.Ontology + "/" + q.Source}
	current, kept, err := p.store.Changelist(ctx, q)
	if err != nil || current == kept && !q.Force && !q.CreateArtifact {
		result.Changelist = kept
		return result, err
	}
	made, err := p.compute(ctx, q, func(stage string, percent int) error {
		progress := work.Progress{Stage: stage, Percent: from + percent*(to-from)/100}
		return p.retry(ctx, "store a checkpoint", func(ctx context.Context) error {
			return p.claims.Checkpoint(ctx, p.claim, work.Checkpoint{Progress: progress, Emit: true})
		})
	})
	if err != nil {
		return result, err
	}
	if err := p.retry(ctx, "keep the projection", func(ctx context.Context) error { return p.store.SaveProjection(ctx, p.claim, q, made) }); err != nil {
		return result, err
	}
	result.Status, result.Concepts, result.Changelist, result.Milliseconds = "computed", len(made.Places), made.ChangelistID, made.Statistics.Milliseconds
	if q.CreateArtifact {
		again := q
		again.Force = true // computed again, it is to be made and not skipped
		result.ArtifactID, err = keepArtifact(ctx, p.claim, p.artifacts, p.retry, resultOf{projectionLabel(q), made.GraphEpoch, again, made})
	}
	return result, err
}

// projectionLabel says what a projection is that is kept besides.
func projectionLabel(q projection.Query) artifacts.Label {
	label := artifacts.Label{
		Type: artifacts.Projection, Representation: artifacts.RepresentationOfProjection,
		Name: new(q.Source + " of " + strings.ReplaceAll(q.Ontology, projection.AllOntologies, "all ontologies")),
	}
	if q.Ontology != projection.AllOntologies {
		label.Ontology = &q.Ontology
	}
	return label
}
