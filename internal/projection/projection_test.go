package projection

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge/projection"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clustered returns n vectors of length 1 around so many centres.
func clustered(n, width, centres int) []models.Embedding {
	random := rand.New(rand.NewPCG(7, 11))
	middle := make([][]float64, centres)
	for c := range middle {
		middle[c] = make([]float64, width)
		for k := range middle[c] {
			middle[c][k] = random.NormFloat64()
		}
	}
	list := make([]models.Embedding, n)
	for i := range list {
		list[i] = make(models.Embedding, width)
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

// spaceOf returns a space of the vectors, which stay as they are.
func spaceOf(vectors []models.Embedding, o Options) *Space { return NewSpace(slices.Clone(vectors), o) }

func TestLayout(t *testing.T) {
	vectors := clustered(300, 32, 6)
	for _, components := range []int{2, 3} {
		for _, algorithm := range projection.Algorithms() {
			o := options(algorithm, components)
			places, err := Layout(t.Context(), spaceOf(vectors, o), o, nil)
			if err != nil {
				t.Fatal(err)
			}
			if components == 2 {
				again, err := Layout(t.Context(), spaceOf(vectors, o), o, nil)
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
			trust, err := Trustworthiness(t.Context(), spaceOf(vectors, o), places, 12, 0)
			if err != nil {
				t.Fatal(err)
			}
			if least := map[string]float64{projection.AlgorithmTSNE: 0.95, projection.AlgorithmPCA: 0.75}[algorithm]; trust < least || trust > 1 {
				t.Errorf("%s in %d dimensions: trustworthiness %.3f, want at least %.2f", algorithm, components, trust, least)
			}
			if algorithm != projection.AlgorithmTSNE {
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

// TestTreeIsNearTheExactForces compares what the tree says with the sum over all places.
func TestTreeIsNearTheExactForces(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for dimensions := 2; dimensions <= 3; dimensions++ {
		places := make([]point, 2200)
		for i := range places {
			for k := range dimensions {
				places[i][k] = 10 * float32(random.NormFloat64())
			}
		}
		copy(places[:50], make([]point, 50)) // many at one place
		tree := newPlaceTree(len(places))
		tree.build(places, groupShare)
		var off, size, total, wanted float64
		for _, p := range places {
			near, sum := tree.force(p)
			var exact point
			for _, q := range places {
				w := 1 / (1 + squareOf(&p, &q))
				wanted += float64(w)
				for k := range p {
					exact[k] += w * w * (p[k] - q[k])
				}
			}
			total += float64(sum)
			off += float64(squareOf(&near, &exact))
			size += float64(squareOf(&exact, &point{}))
		}
		if math.Sqrt(off/size) > 0.08 || math.Abs(total-wanted)/wanted > 0.04 {
			t.Errorf("in %d dimensions the forces are off by %.3f, the sum is %.1f and not %.1f", dimensions, math.Sqrt(off/size), total, wanted)
		}
	}
}

// TestNearestOfMany: more items than are compared each with each find nearly all of their
// neighbours, and the same ones each time.
func TestNearestOfMany(t *testing.T) {
	const k = 15
	o := options(projection.AlgorithmTSNE, 2)
	s := spaceOf(clustered(exactUpTo+500, 48, 12), o)
	report := pace(t.Context(), nil)
	found, err := nearest(t.Context(), s, k, 1, report)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := nearest(t.Context(), s, k, 1, report); err != nil || !reflect.DeepEqual(found, again) {
		t.Errorf("the same items have other neighbours, %v", err)
	}
	hits, distances := 0, make([]float32, s.Len())
	for i := range found {
		if err := s.distances(t.Context(), i, distances); err != nil {
			t.Fatal(err)
		}
		for _, want := range least(distances, i, k) {
			if slices.ContainsFunc(found[i], func(n neighbor) bool { return n.item == want.item }) {
				hits++
			}
		}
	}
	if share := float64(hits) / float64(k*s.Len()); share < 0.95 {
		t.Errorf("%.3f of the neighbours were found, want 0.95", share)
	}
}

// TestStartsFromTheLayoutBefore: what was there stays about where it was, and what is new
// is put beside its like.
func TestStartsFromTheLayoutBefore(t *testing.T) {
	o := options(projection.AlgorithmTSNE, 2)
	vectors := clustered(660, 32, 6)
	before, err := Layout(t.Context(), spaceOf(vectors[:600], o), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	anew, err := Layout(t.Context(), spaceOf(vectors, o), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	o.Start = append(slices.Clone(before), make([][]float64, 60)...)
	after, err := Layout(t.Context(), spaceOf(vectors, o), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if kept, lost := moved(before, after), moved(before, anew); kept > 0.3 || kept > lost/2 {
		t.Errorf("items move by %.2f of the size of the picture, and by %.2f without a start", kept, lost)
	}
	of, _, err := Clusters(t.Context(), after)
	if err != nil {
		t.Fatal(err)
	}
	for i := 600; i < 660; i++ {
		if of[i] != Noise && of[i%6] != Noise && of[i] != of[i%6] {
			t.Errorf("the new item %d is in cluster %d, and its like in %d", i, of[i], of[i%6])
		}
	}
}

// moved returns how far items have moved on average, relative to how far they are from the
// middle.
func moved(before, after [][]float64) float64 {
	var way, size float64
	for i, p := range before {
		way += math.Sqrt(float64(apart(p, after[i])))
		size += math.Sqrt(float64(apart(p, make([]float64, len(p)))))
	}
	return way / size
}

func TestComponentsAreThoseOfTheLibrary(t *testing.T) {
	for _, size := range []struct{ items, width int }{{200, 16}, {60, 400}} {
		s := spaceOf(clustered(size.items, size.width, 5), options(projection.AlgorithmPCA, 3))
		x := mat.NewDense(size.items, size.width, nil)
		for i := range size.items {
			for k, v := range s.at(i) {
				x.Set(i, k, float64(v))
			}
		}
		got, err := components(t.Context(), s, 3, 0)
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
	same := make([]models.Embedding, 40)
	for i := range same {
		same[i] = models.Embedding{1, 0, 0}
	}
	for name, vectors := range map[string][]models.Embedding{
		"three items": {{1, 0}, {0, 1}, {0.7, 0.7}}, "the same vector": same, "zeros": make([]models.Embedding, 5),
	} {
		for i := range vectors {
			if vectors[i] == nil {
				vectors[i] = models.Embedding{0, 0}
			}
		}
		for _, algorithm := range projection.Algorithms() {
			o := options(algorithm, 3)
			places, err := Layout(t.Context(), spaceOf(vectors, o), o, nil)
			if err != nil || len(places) != len(vectors) {
				t.Errorf("%s by %s: %v", name, algorithm, err)
				continue
			}
			if _, _, err := Clusters(t.Context(), places); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := Layout(t.Context(), spaceOf(same[:2], options(projection.AlgorithmPCA, 2)), options(projection.AlgorithmPCA, 2), nil); kappa.ErrorCode(err) != kappa.CodeInvalid {
		t.Errorf("two items give %v", err)
	}
}

// TestCancel cancels at many instants of a layout, those among them at which neighbours
// are compared and items are drawn to each other.
func TestCancel(t *testing.T) {
	o := options(projection.AlgorithmTSNE, 3)
	s := spaceOf(clustered(6000, 256, 10), o)
	cause := errors.New("cancelled")
	all, began := 0, time.Now()
	if _, err := Layout(t.Context(), s, o, func(string, int) error { all++; return nil }); err != nil {
		t.Fatal(err)
	}
	whole := time.Since(began)
	for _, last := range []int{1, all / 3, all / 2} { // there are a few more or fewer each time
		ctx, cancel := context.WithCancelCause(t.Context())
		reports := 0
		_, err := Layout(ctx, s, o, func(string, int) error {
			if reports++; reports == last {
				cancel(cause)
			}
			return nil
		})
		if !errors.Is(err, cause) || reports > last+1 {
			t.Errorf("cancelled at report %d of %d: it ended after %d, %v", last, all, reports, err)
		}
	}
	for _, part := range []time.Duration{0, 20, 5} { // of all the time that it takes, in the middle of what is between reports
		ctx, cancel := context.WithCancelCause(t.Context())
		timer := time.AfterFunc(whole/max(part, 1)*min(part, 1), func() { cancel(cause) })
		_, err := Layout(ctx, s, o, nil)
		if timer.Stop(); !errors.Is(err, cause) {
			t.Errorf("cancelled after a part of %d: %v", part, err)
		}
		cancel(nil)
	}
	reports := 0
	_, err := Layout(t.Context(), s, o, func(stage string, _ int) error {
		if reports++; stage == "comparing" {
			return cause
		}
		return nil
	})
	if !errors.Is(err, cause) {
		t.Errorf("a report that fails gives %v after %d", err, reports)
	}
}
