package models

import (
	"context"
	"math"
	"math/bits"
)

// Embedding is a vector of a text. Two embeddings are comparable only when the
// same model made them; Embedders return them with length 1.
type Embedding []float32

// Embedder turns texts into embeddings.
type Embedder interface {
	// Embed returns one embedding for each text, in order, all of the same
	// length. It returns a kappa.CodeUnavailable Error when the model cannot be
	// reached.
	Embed(ctx context.Context, texts []string) ([]Embedding, error)
	// Model describes the model; embeddings of different models are never compared.
	Model() Model
}

// PinnedEmbedder returns the Embedder that e stands for now, where that may change while the
// program runs. Whoever embeds texts and says by which model they were embedded, or which
// embeddings they are compared with, holds on to one until that is done.
func PinnedEmbedder(e Embedder) Embedder {
	if changing, ok := e.(interface{ Now() Embedder }); ok {
		return changing.Now()
	}
	return e
}

// Cosine returns the cosine similarity of e and o in [-1, 1], and 0 when the
// lengths differ or one of them is the zero vector.
func (e Embedding) Cosine(o Embedding) float64 {
	if len(e) != len(o) {
		return 0
	}
	var dot, ee, oo float64
	for i := range e {
		dot += float64(e[i]) * float64(o[i])
		ee += float64(e[i]) * float64(e[i])
		oo += float64(o[i]) * float64(o[i])
	}
	if ee == 0 || oo == 0 {
		return 0
	}
	return dot / math.Sqrt(ee*oo)
}

const (
	// SignatureBits is the length of a Signature in bits.
	SignatureBits = 768
	bandBits      = 12
	bandCount     = SignatureBits / bandBits
)

// Signature is a sketch of an embedding: the signs of 768 random projections.
// The share of bits in which two signatures differ estimates the angle between
// the embeddings, as angle/180° (Charikar 2002, "Similarity Estimation
// Techniques from Rounding Algorithms").
type Signature [SignatureBits / 64]uint64

// Signature computes e's sketch. The projections are a fixed randomised
// Hadamard rotation, so the result depends on e alone.
func (e Embedding) Signature() Signature {
	rotated := rotate(e)
	var s Signature
	for i, x := range rotated[:SignatureBits] {
		var bit uint64
		if x > 0 { // no branch, as in rotate
			bit = 1
		}
		s[i/64] |= bit << (i % 64)
	}
	return s
}

// Distance returns the number of bits in which s and o differ, 0 to 768.
func (s Signature) Distance(o Signature) int {
	n := 0
	for i := range s {
		n += bits.OnesCount64(s[i] ^ o[i])
	}
	return n
}

// SignatureDistance returns in how many bits the signatures of two embeddings of that
// cosine differ at most, but for one pair in 30,000: four standard deviations above the
// mean.
func SignatureDistance(cosine float64) int {
	share := math.Acos(min(max(cosine, -1), 1)) / math.Pi
	mean := share * SignatureBits
	return int(math.Ceil(mean + 4*math.Sqrt(mean*(1-share))))
}

// Bands cuts the signature into 64 keys of 12 bits, each marked with its
// place. Embeddings with a cosine of 0.85 share at least one key with a
// probability above 0.99, unrelated ones share one key in 4,096 for each band,
// so an index on the keys finds the candidates without looking at the rest
// (locality-sensitive hashing; Indyk and Motwani 1998).
func (s Signature) Bands() []int32 {
	keys := make([]int32, bandCount)
	for b := range keys {
		keys[b] = int32(b)<<bandBits | int32(s.Band(b))
	}
	return keys
}

// Band returns band b of the signature, 0 to 63, without the mark of its place: 0 to 4,095.
func (s *Signature) Band(b int) uint32 {
	bit := b * bandBits
	key := s[bit/64] >> (bit % 64)
	if bit%64 > 64-bandBits {
		key |= s[bit/64+1] << (64 - bit%64)
	}
	return uint32(key & (1<<bandBits - 1))
}

// SharesBand reports whether two signatures have a band in common.
func (s *Signature) SharesBand(o *Signature) bool {
	for b := range bandCount {
		if s.Band(b) == o.Band(b) {
			return true
		}
	}
	return false
}

// rotate spreads e over at least SignatureBits coordinates by three rounds of
// random sign flips and a Walsh–Hadamard transform: an orthogonal rotation in
// O(n log n) that needs no stored matrix.
func rotate(e Embedding) []float64 {
	n := 1024
	for n < len(e) {
		n *= 2
	}
	v := make([]float64, n)
	for i, x := range e {
		v[i] = float64(x)
	}
	seed := uint64(0x9E3779B97F4A7C15)
	for range 3 {
		for i := range v { // without a branch, which would be guessed wrong every other time
			v[i] = math.Float64frombits(math.Float64bits(v[i]) ^ splitmix(&seed)<<63)
		}
		hadamard(v)
	}
	return v
}

// hadamard transforms v in place; len(v) is a power of two from four on. It takes two
// steps at once while there are two, with the same sums and differences.
func hadamard(v []float64) {
	for i := 0; i+4 <= len(v); i += 4 {
		w := v[i : i+4 : i+4]
		s1, s2, d1, d2 := w[0]+w[1], w[2]+w[3], w[0]-w[1], w[2]-w[3]
		w[0], w[1], w[2], w[3] = s1+s2, d1+d2, s1-s2, d1-d2
	}
	h := 4
	for ; 4*h <= len(v); h *= 4 {
		for i := 0; i < len(v); i += 4 * h {
			a, b, c, d := v[i:i+h], v[i+h:][:h], v[i+2*h:][:h], v[i+3*h:][:h]
			for j := range a {
				s1, s2, d1, d2 := a[j]+b[j], c[j]+d[j], a[j]-b[j], c[j]-d[j]
				a[j], b[j], c[j], d[j] = s1+s2, d1+d2, s1-s2, d1-d2
			}
		}
	}
	if h < len(v) {
		a, b := v[:h], v[h:]
		for j := range a {
			a[j], b[j] = a[j]+b[j], a[j]-b[j]
		}
	}
}

// splitmix is SplitMix64 (Steele, Lea and Flood 2014), a fixed sequence of
// random bits.
func splitmix(state *uint64) uint64 {
	*state += 0x9E3779B97F4A7C15
	z := *state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}
