package models

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// submitter submits jobs.
type submitter interface {
	SubmitJob(ctx context.Context, j work.NewJob) (work.Job, error)
}

// awaiter waits for jobs to end.
type awaiter interface {
	Await(ctx context.Context, jobID string) (work.Job, error)
}

type coverageInput struct {
	Ontology string `query:"ontology" doc:"Only of this ontology"`
}

type coverageSummary struct {
	Total      int     `json:"total_entities"`
	With       int     `json:"total_with_embeddings"`
	Without    int     `json:"total_without_embeddings"`
	Other      int     `json:"total_incompatible"`
	Percentage float64 `json:"overall_percentage"`
}

type coverageAnswer struct {
	Active     embeddingProfile `json:"active_config"`
	Concepts   models.Coverage  `json:"concepts"`
	Sources    models.Coverage  `json:"sources"`
	Vocabulary models.Coverage  `json:"vocabulary"`
	Images     models.Coverage  `json:"images"`
	Summary    coverageSummary  `json:"summary"`
}

type regenerateInput struct {
	Type             string    `query:"embedding_type" default:"all" doc:"concept, source, vocabulary or all"`
	OnlyMissing      http.Flag `query:"only_missing" doc:"Only what has no embedding of the model; concepts are always so"`
	OnlyIncompatible http.Flag `query:"only_incompatible" doc:"The same: what is embedded with another model has none of this one"`
}

// EmbeddedAnew is what became of one kind of embeddings.
type EmbeddedAnew struct {
	JobID     string   `json:"job_id"`
	Target    int      `json:"target_count"`
	Processed int      `json:"processed_count"`
	Failed    int      `json:"failed_count"`
	Duration  int64    `json:"duration_ms"`
	Provider  string   `json:"embedding_provider"`
	Model     string   `json:"embedding_model"`
	Errors    []string `json:"errors"`
}

type embeddedAnewParts struct {
	Concepts   *EmbeddedAnew `json:"concepts,omitempty"`
	Sources    *EmbeddedAnew `json:"sources,omitempty"`
	Vocabulary *EmbeddedAnew `json:"vocabulary,omitempty"`
}

type embeddedAnewAnswer struct {
	EmbeddedAnew

	Totals  EmbeddedAnew      `json:"totals"`
	Results embeddedAnewParts `json:"results"`
}

func (a *API) registerCoverage(r *http.Router) {
	write := access.EmbeddingConfigWrite
	http.Register(r, http.Route{Method: "GET", Path: "/admin/embedding/status", Permission: access.EmbeddingConfigRead, ID: "embedding.status", Summary: "Show how much is embedded with the model that embeds"}, a.coverage)
	http.Register(r, http.Route{Method: "POST", Path: "/admin/embedding/regenerate", Permission: write, ID: "embedding.regenerate", AnswerWithin: http.AwaitingWithin, Summary: "Embed what lacks it, or all texts anew, by jobs whose end is awaited"}, a.regenerate)
	http.Register(r, http.Route{Method: "POST", Path: "/admin/regenerate-concept-embeddings", Permission: write, ID: "embedding.regenerate-concepts", AnswerWithin: http.AwaitingWithin, Summary: "The same for concepts alone"},
		func(ctx context.Context, in *struct {
			OnlyMissing http.Flag `query:"only_missing" doc:"Concepts are always so"`
		},
		) (embeddedAnewAnswer, error) {
			return a.regenerate(ctx, &regenerateInput{Type: "concept", OnlyMissing: in.OnlyMissing})
		})
}

func (a *API) coverage(ctx context.Context, in *coverageInput) (coverageAnswer, error) {
	active, err := a.activeEmbedding(ctx, nil)
	if err != nil {
		return coverageAnswer{}, err
	}
	if active.Dimensions == nil { // nothing was embedded yet; the client shows a number
		active.Dimensions, active.TextDimensions = new(0), new(0)
	}
	is, err := a.cfg.Coverage(ctx, in.Ontology)
	out := coverageAnswer{Active: active, Concepts: is.Concepts, Sources: is.Sources, Vocabulary: is.Vocabulary, Images: models.NewCoverage(0, 0, 0, 0)}
	out.Images.Note = "Images are described in words, which are embedded with the other texts"
	all := models.NewCoverage(is.Concepts.Total+is.Sources.Total+is.Vocabulary.Total, is.Concepts.With+is.Sources.With+is.Vocabulary.With, is.Concepts.Other+is.Sources.Other+is.Vocabulary.Other, 0)
	out.Summary = coverageSummary{all.Total, all.With, all.Without, all.Other, all.Percentage}
	return out, err
}

// regenerate runs the jobs of the kinds one after the other.
func (a *API) regenerate(ctx context.Context, in *regenerateInput) (out embeddedAnewAnswer, err error) {
	missing := in.OnlyMissing.On() || in.OnlyIncompatible.On()
	kinds := []struct {
		name, job string
		data      any
		part      **EmbeddedAnew
	}{
		{"concept", models.TypeReembed, struct{}{}, &out.Results.Concepts},
		{"source", corpus.TypeSourceEmbedding, map[string]bool{"force": !missing}, &out.Results.Sources},
		{"vocabulary", vocabulary.TypeEmbedding, map[string]bool{"only_missing": missing}, &out.Results.Vocabulary},
	}
	known := in.Type == "all"
	for _, kind := range kinds {
		known = known || kind.name == in.Type
	}
	if !known {
		return out, kappa.Invalid(kappa.FieldError{In: "query", Name: "embedding_type", Rule: fmt.Sprintf("must be concept, source, vocabulary or all, got %q", in.Type)})
	}
	out.Errors = []string{}
	for _, kind := range kinds {
		if in.Type != "all" && in.Type != kind.name {
			continue
		}
		part, err := a.runJob(ctx, kind.job, kind.data)
		if err != nil {
			return out, err
		}
		*kind.part = &part
		out.EmbeddedAnew.add(part)
	}
	out.Totals = out.EmbeddedAnew
	return out, nil
}

func (r *EmbeddedAnew) add(part EmbeddedAnew) {
	r.JobID, r.Provider, r.Model = part.JobID, part.Provider, part.Model
	r.Target, r.Processed, r.Failed, r.Duration = r.Target+part.Target, r.Processed+part.Processed, r.Failed+part.Failed, r.Duration+part.Duration
	r.Errors = append(r.Errors, part.Errors...)
}

// runJob submits a job, and waits for what it has done.
func (a *API) runJob(ctx context.Context, jobType string, data any) (EmbeddedAnew, error) {
	began := time.Now()
	job, err := a.cfg.Jobs.SubmitJob(ctx, work.NewJob{
		Type: jobType, Queue: work.DefaultQueue, Data: http.EncodeJSON(data), AutoApprove: true, MaxRetries: work.DefaultMaxRetries, UserID: http.PrincipalOf(ctx).User.ID,
	})
	if err != nil {
		return EmbeddedAnew{}, err
	}
	id := job.ID
	if job, err = a.cfg.Ends.Await(ctx, id); err != nil {
		return EmbeddedAnew{}, err
	}
	var said struct {
		Processed int  `json:"processed_count"`
		Target    *int `json:"target_count"`
		Failed    int  `json:"failed_count"`
		Sources   int  `json:"sources_embedded"`
	}
	if err := json.Unmarshal(job.Result, &said); err != nil {
		return EmbeddedAnew{}, fmt.Errorf("decode the result of %s: %w", id, err)
	}
	is := a.cfg.Chooser.InUse().Slots[models.SlotEmbedding]
	out := EmbeddedAnew{JobID: id, Processed: said.Processed + said.Sources, Failed: said.Failed, Duration: time.Since(began).Milliseconds(), Provider: is.Provider, Model: modelOf(is), Errors: []string{}}
	out.Target = out.Processed + out.Failed
	if said.Target != nil {
		out.Target = *said.Target
	}
	return out, nil
}
