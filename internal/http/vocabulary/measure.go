package vocabulary

import (
	"context"
	"fmt"
	"slices"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// shownResults is how many types a short answer to a measurement shows.
const shownResults = 10

type measureInput struct{ Body measureRequest }

type measureRequest struct {
	SampleSize *int  `json:"sample_size,omitempty" default:"100" doc:"How many edges of each type are looked at, 1 to 10000"`
	Store      *bool `json:"store,omitempty" default:"true" doc:"Whether the statuses are to be kept"`
	Verbose    *bool `json:"verbose,omitempty" default:"false" doc:"Show every type, and not the ten with the most edges"`
}

func (a *API) measure(ctx context.Context, in *measureInput) (api.Measured, error) {
	b := in.Body
	if err := vocabulary.CheckSampleSize("sample_size", *b.SampleSize); err != nil {
		return api.Measured{}, err
	}
	found, err := a.cfg.Vocabulary.Measure(ctx, *b.SampleSize, *b.Store)
	if err != nil {
		return api.Measured{}, err
	}
	types := slices.Clone(found.Types)
	slices.SortStableFunc(types, func(x, y vocabulary.MeasuredType) int { return y.Stats.Total - x.Stats.Total })
	if !*b.Verbose {
		types = types[:min(shownResults, len(types))]
	}
	report := api.Measured{
		Success: true, Message: fmt.Sprintf("Measured %d relationship types", len(found.Types)), At: found.At.At,
		TotalTypes: len(found.Types), Stored: found.Stored, Classifications: found.ByStatus, Results: []vocabulary.TypeEpistemic{},
	}
	for _, t := range types {
		report.Results = append(report.Results, t.Epistemic(found.At.At))
	}
	return report, nil
}
