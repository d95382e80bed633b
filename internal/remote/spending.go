package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

const (
	mostModelName = 200     // bytes
	mostTokens    = 1 << 30 // of one passage that are believed
)

// decode reads what a worker has found, and counts what it has spent for the document. What
// is wrong in it is left out later, as of any extractor.
func (e *Extractor) decode(ctx context.Context, job work.Job, parentID string) (knowledge.Extraction, error) {
	var result wire.Reading
	if err := json.Unmarshal(job.Result, &result); err != nil {
		return knowledge.Extraction{}, kappa.Permanent(kappa.NewError(kappa.CodeUpstream, "the result of job "+job.ID+" is no extraction"))
	}
	if err := e.charge(ctx, job, parentID, result.Usage); err != nil {
		return knowledge.Extraction{}, fmt.Errorf("count what the reading of a passage has cost: %w", err)
	}
	return result.Found(), nil
}

// charge counts what a worker says that a model has used. It says so of itself: numbers that
// no passage can take are cut.
func (e *Extractor) charge(ctx context.Context, job work.Job, parentID string, said wire.Usage) error {
	used := models.TokenUsage{Input: min(max(0, said.InputTokens), mostTokens), Output: min(max(0, said.OutputTokens), mostTokens)}
	if e.Charge == nil || used.Total() == 0 {
		return nil
	}
	model := strings.ToValidUTF8(strings.ReplaceAll(said.Model, "\x00", ""), "")
	model = cmp.Or(strings.ToValidUTF8(model[:min(len(model), mostModelName)], ""), "remote")
	r := models.CallResult{Usage: used}
	if e.CostOf != nil {
		r.Cost = e.CostOf(model, used)
	}
	if job.StartedAt != nil && job.CompletedAt != nil {
		r.Took = max(0, job.CompletedAt.Sub(job.StartedAt.Time))
	}
	return e.Charge(ctx, job.ID, models.Call{Model: model, Purpose: models.ForExtraction, JobID: parentID}, r)
}
