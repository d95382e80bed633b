package vectors

import (
	"cmp"
	"slices"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
)

// mostSimilar returns the passages that are most similar, of those whose similarity is known.
func mostSimilar(ids []int32, of map[int32]float64, most int) []int32 {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id int32) bool {
		_, known := of[id]
		return !known
	})
	slices.SortFunc(ids, func(a, b int32) int { return cmp.Or(-cmp.Compare(of[a], of[b]), cmp.Compare(a, b)) })
	return ids[:min(most, len(ids))]
}

// Library is the embeddings of passages in memory, for whoever learns from a list of them.
type Library struct {
	set     *set
	vectors map[int32]models.Embedding
}

// NewLibrary returns the embeddings of passages by their IDs.
func NewLibrary(embeddings map[int32]models.Embedding) *Library {
	l := &Library{set: newSet(""), vectors: embeddings}
	for id, e := range embeddings {
		l.set.add(corpus.SignedPassage{ID: id, Source: id, Signature: e.Signature()})
	}
	return l
}

// Similar is Follower.Similar of an embedded question, with what that would read.
func (l *Library) Similar(question models.Embedding, among []int32, most int) (nearest []int32, of map[int32]float64) {
	signature := question.Signature()
	ids, usual := l.set.nearest(&signature, looked*most, func(int32) bool { return true })
	of = map[int32]float64{}
	for _, id := range append(append([]int32{}, ids...), among...) {
		if e, known := l.vectors[id]; known {
			of[id] = usual.of(question.Cosine(e))
		}
	}
	return mostSimilar(ids, of, most), of
}
