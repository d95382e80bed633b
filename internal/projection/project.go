package projection

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/projection"
)

// reportEvery is the least time between two reports of the progress.
const reportEvery = 200 * time.Millisecond

// Options say how items are laid out.
type Options struct {
	Algorithm   string // projection.AlgorithmTSNE or projection.AlgorithmPCA
	Components  int    // 2 or 3
	Perplexity  float64
	Euclidean   bool // compare by distance, and not by angle
	NormalizeL2 bool
	Center      bool
	Seed        uint64
	// Start has where items were in the layout before, nil for an item that was not in it;
	// without any the layout begins anew.
	Start [][]float64
}

// Report says how far a layout has come, 0 to 100. An error ends it.
type Report func(stage string, percent int) error

// Layout returns a place for each of the items: rows of Components coordinates around the
// origin, all finite. It returns the cause of ctx's end, or what report returns.
func Layout(ctx context.Context, s *Space, o Options, report Report) ([][]float64, error) {
	if s.Len() < projection.MinItems {
		return nil, kappa.NewError(kappa.CodeInvalid, fmt.Sprintf("a projection needs at least %d items, got %d", projection.MinItems, s.Len()))
	}
	paced := pace(ctx, report)
	if err := paced("preparing", 0); err != nil {
		return nil, err
	}
	places, err := compute(ctx, s, o, paced)
	if err != nil {
		return nil, err
	}
	center(places)
	rows := make([][]float64, s.Len())
	for i := range rows {
		rows[i] = places.RawRowView(i)
		if !finite(rows[i]) {
			return nil, fmt.Errorf("item %d was placed at %v", i, rows[i])
		}
	}
	return rows, paced("placed", 100)
}

// compute returns the places by the algorithm that o names.
func compute(ctx context.Context, s *Space, o Options, report Report) (*mat.Dense, error) {
	if o.Algorithm == projection.AlgorithmPCA {
		return components(ctx, s, o.Components, 0)
	}
	principal, err := components(ctx, s, o.Components, sampledRows)
	if err != nil {
		return nil, err
	}
	found, err := nearest(ctx, s, neighborsOf(o, s.Len()), o.Seed, report)
	if err != nil {
		return nil, err
	}
	first, fresh := begin(found, principal, o)
	placed, err := embed(found, first, fresh, o, report)
	if err != nil {
		return nil, err
	}
	for i := range placed {
		for k := range o.Components {
			principal.Set(i, k, float64(placed[i][k]))
		}
	}
	return principal, nil
}

// pace returns a Report that checks ctx each time, and passes on a report at most each
// reportEvery, the first and the last one always.
func pace(ctx context.Context, report Report) Report {
	var last time.Time
	return func(stage string, percent int) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if report == nil || percent < 100 && time.Since(last) < reportEvery {
			return nil
		}
		last = time.Now()
		return report(stage, percent)
	}
}

// center moves the mean of the rows to the origin.
func center(x *mat.Dense) {
	rows, width := x.Dims()
	mean := make([]float64, width)
	for i := range rows {
		floats.Add(mean, x.RawRowView(i))
	}
	floats.Scale(1/float64(rows), mean)
	for i := range rows {
		floats.Sub(x.RawRowView(i), mean)
	}
}

func finite(values []float64) bool {
	return !floats.HasNaN(values) && !math.IsInf(floats.Norm(values, 1), 0)
}
