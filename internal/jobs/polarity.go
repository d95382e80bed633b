package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"reflect"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// Analysis computes where concepts stand on an axis; see graph.Graph.Polarity.
type Analysis func(ctx context.Context, q questions.PolarityQuery, yield func(p work.Progress) error) (questions.PolarityResult, error)

// polarityResult is the result of a job of the type polarity.
type polarityResult struct {
	Success      bool   `json:"success"`
	PositivePole string `json:"positive_pole_id"`
	NegativePole string `json:"negative_pole_id"`
	Concepts     int    `json:"concept_count"`
	Quality      string `json:"axis_quality"`
	ArtifactID   *int   `json:"artifact_id"` // null when none was asked for
	Complete     bool   `json:"complete"`
}

// NewPolarity returns the job type polarity: it analyses an axis as
// POST /query/polarity-axis does, and keeps the answer as an artifact unless it is told
// not to. It yields between the steps of the search and of the analysis.
func NewPolarity(analyse Analysis, claims checkpointer, artifacts artifactSaver, retry work.Retrying) work.JobType {
	return typed(work.JobType{
		Name: questions.TypePolarity, Summary: "Places concepts between two opposite ones, and keeps the answer.", Lane: "interactive",
		Schedulable: true, Retryable: true, Permission: access.GraphRead,
	}, readPolarityJob, func(ctx context.Context, c work.Claim, job questions.PolarityJob) (any, error) {
		job.Seed = seedOf(c.JobID)
		answer, err := analyse(ctx, job.PolarityQuery, func(p work.Progress) error {
			return retry(ctx, "store a checkpoint", func(ctx context.Context) error {
				return claims.Checkpoint(ctx, c, work.Checkpoint{Progress: p, Emit: true})
			})
		})
		if err != nil {
			return nil, err
		}
		result := polarityResult{
			Success: true, PositivePole: job.PositivePole, NegativePole: job.NegativePole,
			Concepts: len(answer.Projections), Quality: answer.Axis.Quality, Complete: answer.Complete,
		}
		if job.CreateArtifact {
			result.ArtifactID, err = keepArtifact(ctx, c, artifacts, retry, resultOf{polarityLabel(job, answer), answer.GraphEpoch, job, answer})
		}
		return result, err
	})
}

// polarityLabel says what an answer is that is kept.
func polarityLabel(job questions.PolarityJob, answer questions.PolarityResult) artifacts.Label {
	concepts := []string{job.PositivePole, job.NegativePole}
	for _, p := range answer.Projections {
		concepts = append(concepts, p.ConceptID)
	}
	label := artifacts.Label{
		Type: artifacts.Polarity, Representation: artifacts.RepresentationOfPolarity,
		Name: new(answer.Axis.Negative.Label + " ↔ " + answer.Axis.Positive.Label), ConceptIDs: concepts,
	}
	if job.Ontology != "" {
		label.Ontology = &job.Ontology
	}
	return label
}

// readPolarityJob returns the data of a job with its defaults filled in. It returns
// a CodeInvalid Error that names every broken rule, or CodeMalformed when the poles are
// the same.
func readPolarityJob(raw json.RawMessage) (questions.PolarityJob, error) {
	job := questions.NewPolarityJob()
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &job); err != nil {
			return job, kappa.Invalid(wrongPolarityMember(err))
		}
	}
	return job, job.ValidateData()
}

// wrongPolarityMember is the rule that data breaks which does not decode.
func wrongPolarityMember(err error) kappa.FieldError {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		kinds := map[reflect.Kind]string{reflect.Int: "a whole number", reflect.Float64: "a number", reflect.Bool: "true or false", reflect.Slice: "a list of texts"}
		member := wrong.Field[strings.LastIndex(wrong.Field, ".")+1:] // the query is embedded
		return dataField(member, "must be "+cmp.Or(kinds[wrong.Type.Kind()], "text")+", got "+wrong.Value)
	}
	return kappa.FieldError{In: "body", Name: "data", Rule: `must be an object such as {"positive_pole_id": "a_1", "negative_pole_id": "b_2"}`}
}

// seedOf returns what decides about chance in a job: the same in each attempt.
func seedOf(jobID string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(jobID)) // never fails
	return h.Sum64()
}
