package artifacts

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/projection"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

type createInput struct{ Body artifactRequest }

type artifactRequest struct {
	Type              string          `json:"artifact_type"`
	Representation    string          `json:"representation" doc:"What it was made for"`
	Name              *string         `json:"name,omitempty" doc:"At most 200 characters"`
	Parameters        json.RawMessage `json:"parameters" doc:"An object: what the result was computed with"`
	Payload           json.RawMessage `json:"payload" doc:"An object of at most 768 kB: the result"`
	Metadata          json.RawMessage `json:"metadata,omitempty" doc:"An object"`
	Ontology          *string         `json:"ontology,omitempty"`
	ConceptIDs        []string        `json:"concept_ids,omitempty" doc:"At most 10,000"`
	ExpiresAt         *kappa.Time     `json:"expires_at,omitempty" format:"date-time" doc:"Gone after this instant; default: never"`
	QueryDefinitionID *int            `json:"query_definition_id,omitempty"`
	GraphEpoch        *int64          `json:"graph_epoch,omitempty" doc:"Of the graph that the result was computed from, as its answer says; default: the graph as it is"`
}

type keptArtifact struct {
	ID              int        `json:"id"`
	Type            string     `json:"artifact_type"`
	Representation  string     `json:"representation"`
	Name            *string    `json:"name"`
	GraphEpoch      int64      `json:"graph_epoch"`
	StorageLocation string     `json:"storage_location" doc:"inline: in the database"`
	GarageKey       *string    `json:"garage_key"`
	CreatedAt       kappa.Time `json:"created_at"`
}

func (a *API) create(ctx context.Context, in *createInput) (keptArtifact, error) {
	b := in.Body
	artifact := artifacts.NewArtifact{
		Label: artifacts.Label{
			Type: b.Type, Representation: b.Representation, Name: b.Name, Parameters: b.Parameters, Metadata: http.NotNull(b.Metadata),
			Ontology: b.Ontology, ConceptIDs: b.ConceptIDs, ExpiresAt: b.ExpiresAt, QueryDefinitionID: b.QueryDefinitionID,
		},
		Payload: b.Payload, OwnerID: http.PrincipalOf(ctx).User.ID,
	}
	if b.GraphEpoch != nil {
		artifact.GraphEpoch = *b.GraphEpoch
	}
	if err := artifact.Validate(); err != nil {
		return keptArtifact{}, err
	}
	kept, err := a.cfg.Artifacts.AddArtifact(ctx, artifact)
	return keptArtifact{
		ID: kept.ID, Type: kept.Type, Representation: kept.Representation, Name: kept.Name, GraphEpoch: kept.GraphEpoch,
		StorageLocation: "inline", GarageKey: kept.GarageKey, CreatedAt: kept.CreatedAt,
	}, err
}

// computedBy returns the job type that computes artifacts of a type, "" when none does.
func computedBy(artifactType string) string {
	switch artifactType {
	case artifacts.Polarity:
		return questions.TypePolarity
	case artifacts.Projection:
		return projection.TypeProjection
	}
	return ""
}

// regenerate submits a job with the parameters of an artifact. The job makes a new
// artifact, of whoever asks for it; the old one stays.
func (a *API) regenerate(ctx context.Context, in *idInput) (api.JobReply, error) {
	p := http.PrincipalOf(ctx)
	if err := p.Permit(access.JobsWrite); err != nil {
		return api.JobReply{}, err
	}
	artifact, err := a.permitted(ctx, access.ArtifactsWrite, in.ID)
	if err != nil {
		return api.JobReply{}, err
	}
	jobType := computedBy(artifact.Type)
	if jobType == "" {
		return api.JobReply{}, kappa.NewError(kappa.CodeMalformed, "An artifact of the type "+artifact.Type+" cannot be computed again; those of the types "+artifacts.Polarity+" and "+artifacts.Projection+" can")
	}
	data, err := a.jobData(jobType, artifact.Parameters)
	if err != nil {
		return api.JobReply{}, err
	}
	job, err := a.cfg.Jobs.SubmitJob(ctx, work.NewJob{
		Type: jobType, Queue: work.DefaultQueue, Data: data, AutoApprove: true, MaxRetries: work.DefaultMaxRetries, UserID: p.User.ID,
	})
	if err != nil {
		return api.JobReply{}, err
	}
	return http.Approved(job), nil
}

// jobData returns the data of a job that keeps what it computes from parameters. It
// returns a CodeMalformed Error for parameters that the job type refuses: clients may
// keep artifacts with any.
func (a *API) jobData(jobType string, parameters json.RawMessage) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(parameters, &members); err != nil {
		return nil, unusable(err.Error())
	}
	members["create_artifact"] = json.RawMessage("true")
	data := http.EncodeJSON(members)
	if err := a.cfg.Types.CheckSubmission(jobType, data); err != nil {
		return nil, unusable(kappa.ErrorMessage(err))
	}
	return data, nil
}

func unusable(reason string) error {
	return kappa.NewError(kappa.CodeMalformed, "The parameters of this artifact cannot be used to compute it again: "+reason)
}
