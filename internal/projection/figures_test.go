package projection

import (
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/pgtest"
)

const (
	figureWidth = 256
	leastTrust  = 0.90
	// Beside other tests and under the race detector the figure of docs/job-types.md is
	// not to be had; what takes this long has lost its Barnes–Hut tree.
	mostTime = 10 * time.Minute
)

// TestFigures_Slow lays 5,000 vectors of 256 numbers out, logs the time, and holds the
// trustworthiness that docs/job-types.md gives. KG_TEST_SLOW=1 runs it; the time is
// worth something without -race, and with it there are fewer vectors, on a machine that
// does nothing else.
func TestFigures_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	vectors := clustered(figureItems, figureWidth, 25)
	for _, components := range []int{2, 3} {
		o := options(kappa.AlgorithmTSNE, components)
		began := time.Now()
		places, err := Layout(t.Context(), vectors, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(began)
		trust, err := Trustworthiness(t.Context(), vectors, places, o, 12, 0)
		if err != nil {
			t.Fatal(err)
		}
		began = time.Now()
		_, clusters, err := Clusters(t.Context(), places)
		t.Logf("%d × %d to %d dimensions: %.1f s, trustworthiness(12) %.3f, %d clusters in %.2f s, %v",
			figureItems, figureWidth, components, took.Seconds(), trust, clusters, time.Since(began).Seconds(), err)
		if took > mostTime || trust < leastTrust {
			t.Errorf("want at most %s and at least %.2f", mostTime, leastTrust)
		}
	}
}
