package projection

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"go.uber.org/goleak"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clustered returns n vectors of length 1 around so many centres.
func clustered(n, width, centres int) []kappa.Embedding {
	random := rand.New(rand.NewPCG(7, 11))
	middle := make([][]float64, centres)
	for c := range middle {
		middle[c] = make([]float64, width)
		for k := range middle[c] {
			middle[c][k] = random.NormFloat64()
		}
	}
	list := make([]kappa.Embedding, n)
	for i := range list {
		list[i] = make(kappa.Embedding, width)
		var square float64
		v := make([]float64, width)
		// Within a cluster the vectors vary along a few directions, as real ones do.
		a, b := random.NormFloat64(), random.NormFloat64()
		for k := range v {
			c := i % centres
			v[k] = middle[c][k] + 0.4*a*middle[(c+1)%centres][k] + 0.4*b*middle[(c+2)%centres][k] + 0.3*random.NormFloat64()
			square += v[k] * v[k]
		}
		for k := range v {
			list[i][k] = float32(v[k] / math.Sqrt(square))
		}
	}
	return list
}

func options(algorithm string, components int) Options {
	return Options{Algorithm: algorithm, Components: components, Perplexity: 30, NormalizeL2: true, Center: true, Seed: 1}
}

func TestLayout_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	vectors := clustered(300, 32, 6)
	for _, components := range []int{2, 3} {
		for _, algorithm := range kappa.ProjectionAlgorithms() {
			o := options(algorithm, components)
			places, err := Layout(t.Context(), vectors, o, nil)
			if err != nil {
				t.Fatal(err)
			}
			if components == 2 {
				again, err := Layout(t.Context(), vectors, o, nil)
				if err != nil || !reflect.DeepEqual(places, again) {
					t.Errorf("%s: the same input gives another layout, %v", algorithm, err)
				}
			}
			for k := range components {
				sum := 0.0
				for _, p := range places {
					sum += p[k]
				}
				if math.Abs(sum) > 1e-6*float64(len(places))*math.Abs(places[0][k]) {
					t.Errorf("%s: the layout is not centred: %g", algorithm, sum)
				}
			}
			trust, err := Trustworthiness(t.Context(), vectors, places, o, 12, 0)
			if err != nil {
				t.Fatal(err)
			}
			if least := map[string]float64{kappa.AlgorithmTSNE: 0.95, kappa.AlgorithmPCA: 0.75}[algorithm]; trust < least || trust > 1 {
				t.Errorf("%s in %d dimensions: trustworthiness %.3f, want at least %.2f", algorithm, components, trust, least)
			}
			if algorithm != kappa.AlgorithmTSNE {
				continue
			}
			of, count, err := Clusters(t.Context(), places)
			if err != nil || count != 6 {
				t.Errorf("in %d dimensions %d clusters, %v, want 6", components, count, err)
			}
			for i, c := range of {
				if c != Noise && of[i%6] != Noise && c != of[i%6] {
					t.Errorf("item %d is in cluster %d, and its like in %d", i, c, of[i%6])
				}
			}
		}
	}
}

func TestBarnesHutIsNearTheExactForces(t *testing.T) {
	const n = exactUpTo + 200
	random := rand.New(rand.NewPCG(3, 4))
	for _, width := range []int{2, 3} {
		y := mat.NewDense(n, width, nil)
		for i := range n {
			for k := range width {
				y.Set(i, k, 10*random.NormFloat64())
			}
		}
		near, total, err := newRepulsion(n, width).forces(t.Context(), y)
		if err != nil {
			t.Fatal(err)
		}
		r := repulsion{result: mat.NewDense(n, width, nil), totals: make([]float64, n)}
		exact, wanted, err := r.forces(t.Context(), y)
		if err != nil {
			t.Fatal(err)
		}
		var difference mat.Dense
		difference.Sub(near, exact)
		if off := mat.Norm(&difference, 2) / mat.Norm(exact, 2); off > 0.08 || math.Abs(total-wanted)/wanted > 0.03 {
			t.Errorf("in %d dimensions the forces are off by %.3f, the sum is %.1f and not %.1f", width, off, total, wanted)
		}
	}
}

func TestComponentsAreThoseOfTheLibrary(t *testing.T) {
	for _, size := range []struct{ items, width int }{{200, 16}, {60, 400}} {
		x := prepare(clustered(size.items, size.width, 5), options(kappa.AlgorithmPCA, 3))
		got, err := components(t.Context(), x, 3)
		if err != nil {
			t.Fatal(err)
		}
		var pc stat.PC
		if !pc.PrincipalComponents(x, nil) {
			t.Fatal("the library finds no components")
		}
		var directions, want mat.Dense
		pc.VectorsTo(&directions)
		center(x)
		want.Mul(x, directions.Slice(0, size.width, 0, 3))
		for k := range 3 {
			sign := 1.0
			if got.At(0, k)*want.At(0, k) < 0 {
				sign = -1
			}
			for i := range size.items {
				if math.Abs(got.At(i, k)-sign*want.At(i, k)) > 1e-4 {
					t.Fatalf("item %d of %d along %d: %g, want %g", i, size.items, k, got.At(i, k), sign*want.At(i, k))
				}
			}
		}
	}
}

func TestFewAndEqualItems(t *testing.T) {
	same := make([]kappa.Embedding, 40)
	for i := range same {
		same[i] = kappa.Embedding{1, 0, 0}
	}
	for name, vectors := range map[string][]kappa.Embedding{
		"three items": {{1, 0}, {0, 1}, {0.7, 0.7}}, "the same vector": same, "zeros": make([]kappa.Embedding, 5),
	} {
		for i := range vectors {
			if vectors[i] == nil {
				vectors[i] = kappa.Embedding{0, 0}
			}
		}
		for _, algorithm := range kappa.ProjectionAlgorithms() {
			places, err := Layout(t.Context(), vectors, options(algorithm, 3), nil)
			if err != nil || len(places) != len(vectors) {
				t.Errorf("%s by %s: %v", name, algorithm, err)
				continue
			}
			if _, _, err := Clusters(t.Context(), places); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := Layout(t.Context(), same[:2], options(kappa.AlgorithmPCA, 2), nil); kappa.ErrorCode(err) != kappa.CodeInvalid {
		t.Errorf("two items give %v", err)
	}
}

// TestCancel cancels at many instants of a layout, those among them at which neighbours
// are compared and affinities are built.
func TestCancel(t *testing.T) {
	vectors := clustered(2200, 256, 10)
	cause := errors.New("cancelled")
	for _, after := range []time.Duration{0, 100 * time.Millisecond, 600 * time.Millisecond} {
		ctx, cancel := context.WithCancelCause(t.Context())
		var at time.Time
		timer := time.AfterFunc(after, func() { at = time.Now(); cancel(cause) })
		_, err := Layout(ctx, vectors, options(kappa.AlgorithmTSNE, 3), nil)
		if took := time.Since(at); !errors.Is(err, cause) || took > time.Second {
			t.Errorf("cancelled after %s: it ended %s later, %v", after, took, err)
		}
		timer.Stop()
		cancel(nil)
	}
	reports := 0
	_, err := Layout(t.Context(), vectors, options(kappa.AlgorithmTSNE, 2), func(stage string, _ int) error {
		if reports++; stage == "comparing" {
			return cause
		}
		return nil
	})
	if !errors.Is(err, cause) {
		t.Errorf("a report that fails gives %v after %d", err, reports)
	}
}
