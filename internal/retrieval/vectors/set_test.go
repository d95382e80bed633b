package vectors

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
)

// random returns an embedding of length 1.
func random(r *rand.Rand) models.Embedding {
	e, length := make(models.Embedding, 32), 0.0
	for i := range e {
		e[i] = float32(r.NormFloat64())
		length += float64(e[i]) * float64(e[i])
	}
	for i := range e {
		e[i] /= float32(math.Sqrt(length))
	}
	return e
}

func signed(id, source int32, e models.Embedding) corpus.SignedPassage {
	return corpus.SignedPassage{ID: id, Source: source, Signature: e.Signature()}
}

// TestNearest compares what a set finds, while it changes, with a sorted list.
func TestNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	s, has := newSet("m"), map[int32]corpus.SignedPassage{}
	for round := range int32(60) {
		source := round % 20
		var passages []corpus.SignedPassage
		for id, p := range has {
			if p.Source == source {
				delete(has, id)
			}
		}
		for n := range r.Int32N(8) {
			p := signed(100*round+n, source, random(r))
			passages = append(passages, p)
			has[p.ID] = p
		}
		s.replace([]int32{source}, passages)
		question := random(r).Signature()
		allow := func(id int32) bool { return round%2 == 0 || id%3 == 0 }
		var want []int32
		for id := range has {
			if allow(id) {
				want = append(want, id)
			}
		}
		slices.SortFunc(want, func(a, b int32) int {
			p, q := has[a].Signature, has[b].Signature
			return cmp.Or(cmp.Compare(p.Distance(question), q.Distance(question)), cmp.Compare(a, b))
		})
		want = want[:min(5, len(want))]
		if got, _ := s.nearest(&question, 5, allow); !slices.Equal(got, want) || s.len() != len(has) {
			t.Fatalf("round %d: %v of %d, want %v of %d", round, got, s.len(), want, len(has))
		}
	}
}

// TestSpread wants a similarity to be said by what is usual in the library, and one of a few
// passages to stand out no more than another.
func TestSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	question, s := random(r), newSet("m")
	for id := range int32(2000) {
		s.add(signed(id, id, random(r)))
	}
	signature := question.Signature()
	_, usual := s.nearest(&signature, 1, func(int32) bool { return true })
	if math.Abs(usual.mean) > 0.02 || usual.deviation < 0.15 || usual.deviation > 0.22 { // 1/√32, and what signatures add
		t.Errorf("the similarities of random passages spread by %+v", usual)
	}
	if of := usual.of(1); of < 4 || of > mostDeviations {
		t.Errorf("the same text is %g above the mean", of)
	}
	few := newSet("m")
	few.add(signed(1, 1, question))
	_, usual = few.nearest(&signature, 1, func(int32) bool { return true })
	if of := usual.of(1); math.Abs(of) > 0.5 {
		t.Errorf("the only passage is %g above the mean of itself", of)
	}
}
