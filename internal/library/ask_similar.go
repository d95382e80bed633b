package library

import (
	"context"

	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// askSimilar is how many passages are ranked besides that are found by what they mean.
const askSimilar = 20

// meaning finds passages by what they mean. What fails is said in what it returns.
type meaning interface {
	// Compares reports whether there is a model that embeds passages now.
	Compares() bool
	// Similar returns the passages that are most similar to a question, and how similar they and
	// those of among are; the zero value without a model.
	Similar(ctx context.Context, question string, among []int32, most int, allow func(id int32) bool) questions.SimilarPassages
}

// FindByMeaning has passages found by m too, and returns a.
func (a *Asker) FindByMeaning(m meaning) *Asker {
	a.meaning = m
	return a
}

// findSimilar adds the passages that mean what is asked to those that were found by words, and
// keeps how similar all of them are.
func (a *Asker) findSimilar(ctx context.Context, x *asked, found []index.Candidate) ([]index.Candidate, error) {
	if a.meaning == nil || !a.meaning.Compares() {
		return found, nil
	}
	view, allow := x.snapshot.View, x.filter.allow()
	has, among := map[int32]bool{}, make([]int32, len(found))
	for i, c := range found {
		has[c.ID], among[i] = true, c.ID
	}
	err := a.aside(ctx, x, func() {
		x.similar = a.meaning.Similar(ctx, x.answer.Asked, among, askSimilar, func(id int32) bool {
			c, there := view.Passage(id)
			return there && (allow == nil || allow(&c.Meta))
		})
	})
	if err != nil || x.similar.Model == "" { // which has gone this moment
		return found, err
	}
	x.answer.Meaning = &questions.AskMeaning{Model: x.similar.Model, Used: x.similar.Compared(), Reason: x.similar.Reason}
	for _, id := range x.similar.Nearest {
		if c, there := view.Passage(id); there && !has[id] {
			found = append(found, c)
		}
	}
	return found, nil
}
