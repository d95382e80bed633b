package graph_test

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/extract"
	"github.com/kappagraph/kappa/internal/pgtest"
	projector "github.com/kappagraph/kappa/internal/projection"
	"github.com/kappagraph/kappa/knowledge/projection"
)

const (
	projectedItems = 1500
	projectedWidth = 256
	// Beside other tests and under the race detector the time of docs/job-types.md is not to
	// be had; what takes this long has lost its tree.
	mostProjecting = 3 * time.Minute
	trustRounding  = 0.0005
)

// TestProjectionFigures_Slow lays out three graphs that differ, in two and in three
// dimensions, logs the times, and holds each to the trustworthiness of 15 neighbours that
// t-SNE has, with all pairs compared, a perplexity of 30 and 750 turns. KG_TEST_SLOW=1 runs
// it; the times are worth something without -race, on a machine that does nothing else.
func TestProjectionFigures_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	for _, graph := range []struct {
		name    string
		vectors []models.Embedding
		tsne    [2]float64 // in two and in three dimensions
	}{
		{"25 clusters", clusteredVectors(), [2]float64{0.9997, 0.9997}},
		{"a ball with hubs", ballWithHubs(), [2]float64{0.9802, 0.9910}},
		{"sentences of the documentation", sentenceVectors(t), [2]float64{0.9503, 0.9624}},
	} {
		for i, tsne := range graph.tsne {
			o := projector.Options{Algorithm: projection.AlgorithmTSNE, Components: 2 + i, Perplexity: 30, NormalizeL2: true, Center: true, Seed: 1}
			space := projector.NewSpace(slices.Clone(graph.vectors), o)
			began := time.Now()
			places, err := projector.Layout(t.Context(), space, o, nil)
			must(t, err)
			took := time.Since(began)
			trust, err := projector.Trustworthiness(t.Context(), space, places, 15, 0)
			must(t, err)
			t.Logf("%s: %d items in %d dimensions in %.1f s, trustworthiness(15) %.4f, t-SNE's %.4f", graph.name, space.Len(), o.Components, took.Seconds(), trust, tsne)
			if trust < tsne-trustRounding || took > mostProjecting {
				t.Errorf("%s in %d dimensions: want t-SNE's %.4f, and at most %s", graph.name, o.Components, tsne, mostProjecting)
			}
		}
	}
}

// clusteredVectors are 25 clusters, within which vectors vary along a few directions, as
// real ones do.
func clusteredVectors() []models.Embedding {
	const centres = 25
	random := rand.New(rand.NewPCG(7, 11))
	var middle [centres][]float64
	for c := range middle {
		middle[c] = normalVector(random)
	}
	list := make([]models.Embedding, projectedItems)
	for i := range list {
		c := i % centres
		a, b, v := random.NormFloat64(), random.NormFloat64(), normalVector(random)
		for k := range v {
			v[k] = middle[c][k] + 0.4*a*middle[(c+1)%centres][k] + 0.4*b*middle[(c+2)%centres][k] + 0.3*v[k]
		}
		list[i] = unitVector(v)
	}
	return list
}

// ballWithHubs fills six directions evenly; one vector in 50 is near the middle, and so a
// neighbour of many.
func ballWithHubs() []models.Embedding {
	random := rand.New(rand.NewPCG(5, 17))
	var basis [6][]float64
	for d := range basis {
		basis[d] = normalVector(random)
	}
	list := make([]models.Embedding, projectedItems)
	for i := range list {
		size := 1.0
		if i%50 == 0 {
			size = 0.2
		}
		v := normalVector(random)
		for k := range v {
			v[k] *= 0.1
		}
		for d := range basis {
			x := size * (2*random.Float64() - 1)
			for k := range v {
				v[k] += x * basis[d][k]
			}
		}
		list[i] = unitVector(v)
	}
	return list
}

// sentenceVectors are sentences of the documentation as the built-in embedder has them.
// They are kept as they were when t-SNE was measured on them, since the documentation changes.
func sentenceVectors(t *testing.T) []models.Embedding {
	t.Helper()
	text, err := os.ReadFile("testdata/sentences.txt")
	must(t, err)
	texts := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	list, err := extract.BuiltinEmbedder().Embed(t.Context(), texts[:projectedItems])
	must(t, err)
	return list
}

func normalVector(random *rand.Rand) []float64 {
	v := make([]float64, projectedWidth)
	for k := range v {
		v[k] = random.NormFloat64()
	}
	return v
}

func unitVector(v []float64) models.Embedding {
	square := 0.0
	for _, x := range v {
		square += x * x
	}
	e := make(models.Embedding, len(v))
	for k, x := range v {
		e[k] = float32(x / math.Sqrt(square))
	}
	return e
}
