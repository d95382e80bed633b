package models_test

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kappagraph/kappa/corpus/models"
)

// pair returns two random embeddings with the given cosine.
func pair(r *rand.Rand, dims int, cosine float64) (a, b models.Embedding) {
	x, y := make([]float64, dims), make([]float64, dims)
	var xx, xy float64
	for i := range x {
		x[i], y[i] = r.NormFloat64(), r.NormFloat64()
		xx += x[i] * x[i]
		xy += x[i] * y[i]
	}
	var yy float64
	for i := range y { // make y orthogonal to x
		y[i] -= x[i] * xy / xx
		yy += y[i] * y[i]
	}
	a, b = make(models.Embedding, dims), make(models.Embedding, dims)
	sine := math.Sqrt(1 - cosine*cosine)
	for i := range x {
		a[i] = float32(x[i] / math.Sqrt(xx))
		b[i] = float32(cosine*x[i]/math.Sqrt(xx) + sine*y[i]/math.Sqrt(yy))
	}
	return a, b
}

func TestCosine(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, want := range []float64{-1, -0.5, 0, 0.6, 0.85, 1} {
		a, b := pair(r, 300, want)
		if got := a.Cosine(b); math.Abs(got-want) > 1e-5 {
			t.Errorf("cosine %v, want %v", got, want)
		}
	}
	if got := (models.Embedding{1, 0}).Cosine(models.Embedding{1}); got != 0 {
		t.Errorf("different lengths give %v", got)
	}
	if got := (models.Embedding{0, 0}).Cosine(models.Embedding{1, 0}); got != 0 {
		t.Errorf("a zero vector gives %v", got)
	}
}

func TestSignature(t *testing.T) {
	t.Run("differing bits estimate the angle", func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, dims := range []int{64, 384, 768, 1536} {
			for _, cosine := range []float64{0, 0.5, 0.75, 0.85, 0.99} {
				want := math.Acos(cosine) / math.Pi * models.SignatureBits
				const trials = 60
				var sum float64
				for range trials {
					a, b := pair(r, dims, cosine)
					sum += float64(a.Signature().Distance(b.Signature()))
				}
				// Dependent bits have a larger spread than independent ones.
				if got := sum / trials; math.Abs(got-want) > 12 {
					t.Errorf("%d dimensions, cosine %v: %.1f bits differ on average, want %.1f", dims, cosine, got, want)
				}
			}
		}
	})
	t.Run("near embeddings share a band, and few others do", func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		shared := func(cosine float64) float64 {
			const trials = 400
			n := 0
			for range trials {
				a, b := pair(r, 768, cosine)
				x, y := a.Signature().Bands(), b.Signature().Bands()
				for i := range x {
					if x[i] == y[i] {
						n++
						break
					}
				}
			}
			return float64(n) / trials
		}
		if got := shared(0.85); got < 0.99 {
			t.Errorf("cosine 0.85: %.3f share a band, want 0.99", got)
		}
		if got := shared(0); got > 0.05 {
			t.Errorf("cosine 0: %.3f share a band, want at most 0.05", got)
		}
	})
}

// TestSignatureStays has the signatures that are stored: they are compared with those that
// are made later.
func TestSignatureStays(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, want := range []struct {
		dims int
		sum  uint64
	}{{8, 0x65be3b761cd081fc}, {768, 0xcc333bfafd5f2f25}, {1024, 0xf5f8fa48fcb6aaa2}, {1536, 0x5ee61de1f6219b16}, {3072, 0xe499cc8054563db}} {
		hash := fnv.New64a()
		for range 50 {
			e := make(models.Embedding, want.dims)
			for i := range e {
				if r.IntN(4) > 0 { // built-in embeddings have many zeros
					e[i] = float32(r.NormFloat64())
				}
			}
			for _, word := range e.Signature() {
				_, _ = hash.Write(binary.LittleEndian.AppendUint64(nil, word))
			}
		}
		if got := hash.Sum64(); got != want.sum {
			t.Errorf("%d dimensions: got %#x, want %#x", want.dims, got, want.sum)
		}
	}
}

// BenchmarkSignature makes the signature of an embedding.
func BenchmarkSignature(b *testing.B) {
	e, _ := pair(rand.New(rand.NewPCG(9, 10)), 768, 0)
	for b.Loop() {
		e.Signature()
	}
}

// TestSignatureDistance holds the bound against random pairs of that cosine.
func TestSignatureDistance(t *testing.T) {
	if got := models.SignatureDistance(0.75); got != 224 {
		t.Errorf("for a cosine of 0.75 it is %d, want 224", got)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, cosine := range []float64{1, 0.9, 0.75, 0.3} {
		most := models.SignatureDistance(cosine)
		for range 50 {
			a, b := pair(r, 768, cosine)
			if d := a.Signature().Distance(b.Signature()); d > most {
				t.Errorf("at a cosine of %v the signatures differ in %d bits, more than %d", cosine, d, most)
			}
		}
	}
}

// TestBands cuts signatures bit by bit.
func TestBands(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	random := func() (s models.Signature) {
		for i := range s {
			s[i] = r.Uint64()
		}
		return s
	}
	bit := func(s models.Signature, n int) uint32 { return uint32(s[n/64] >> (n % 64) & 1) }
	sharing := 0
	for range 500 {
		a, b := random(), random()
		shares := false
		for n, key := range a.Bands() {
			var band, other uint32
			for i := range 12 {
				band |= bit(a, 12*n+i) << i
				other |= bit(b, 12*n+i) << i
			}
			if a.Band(n) != band || key != int32(n)<<12|int32(band) {
				t.Fatalf("band %d is %d and its key %d, want %d", n, a.Band(n), key, band)
			}
			shares = shares || band == other
		}
		if a.SharesBand(&b) != shares {
			t.Errorf("share a band: %v, want %v", !shares, shares)
		}
		if shares {
			sharing++
		}
	}
	if sharing == 0 {
		t.Error("no two signatures share a band: the test says little")
	}
}
