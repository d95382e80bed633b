package projection

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kappagraph/kappa"
)

// reportEvery is the least time between two reports of the progress.
const reportEvery = 200 * time.Millisecond

// Options say how items are laid out.
type Options struct {
	Algorithm   string // kappa.AlgorithmTSNE or kappa.AlgorithmPCA
	Components  int    // 2 or 3
	Perplexity  float64
	Euclidean   bool // compare by distance, and not by angle
	NormalizeL2 bool
	Center      bool
	Seed        uint64
}

// Report says how far a layout has come, 0 to 100. An error ends it.
type Report func(stage string, percent int) error

// Layout returns a place for each of the vectors, which have one length: rows of
// Components coordinates around the origin, all finite. It returns the cause of ctx's
// end, or what report returns.
func Layout(ctx context.Context, vectors []kappa.Embedding, o Options, report Report) ([][]float64, error) {
	if len(vectors) < kappa.MinProjectionItems {
		return nil, kappa.NewError(kappa.CodeInvalid, fmt.Sprintf("a projection needs at least %d items, got %d", kappa.MinProjectionItems, len(vectors)))
	}
	paced := pace(ctx, report)
	if err := paced("preparing", 0); err != nil {
		return nil, err
	}
	x := prepare(vectors, o)
	principal, err := components(ctx, x, o.Components)
	if err != nil {
		return nil, err
	}
	places := principal
	if o.Algorithm == kappa.AlgorithmTSNE {
		if places, err = embed(ctx, x, principal, o, paced); err != nil {
			return nil, err
		}
	}
	center(places)
	rows := make([][]float64, len(vectors))
	for i := range rows {
		rows[i] = places.RawRowView(i)
		if !finite(rows[i]) {
			return nil, fmt.Errorf("item %d was placed at %v", i, rows[i])
		}
	}
	return rows, paced("placed", 100)
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

// prepare returns the vectors as they are compared. The angle between two vectors is the
// distance between them at length 1.
func prepare(vectors []kappa.Embedding, o Options) *mat.Dense {
	width := len(vectors[0])
	x := mat.NewDense(len(vectors), width, nil)
	for i, v := range vectors {
		row := x.RawRowView(i)
		for k, value := range v {
			row[k] = float64(value)
		}
	}
	if o.Center {
		center(x)
	}
	if o.NormalizeL2 || !o.Euclidean {
		for i := range vectors {
			if length := floats.Norm(x.RawRowView(i), 2); length > 0 {
				floats.Scale(1/length, x.RawRowView(i))
			}
		}
	}
	return x
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
