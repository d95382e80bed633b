package vectors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// embedWithin is how long a question waits for its embedding.
const embedWithin = 2 * time.Second

// looked is how many passages are read to choose one from: signatures order those that are
// nearly as similar only roughly.
const looked = 3

// Compares reports whether there is a model that embeds passages.
func (f *Follower) Compares() bool { return f.model() != "" }

// Similar returns the passages that are most similar to a question of those that allow lets
// pass, up to a number, and how similar they and those of among are. Without a model that embeds
// passages it returns the zero value. What fails is its Reason: an answer goes by the words
// alone then.
func (f *Follower) Similar(ctx context.Context, question string, among []int32, most int, allow func(id int32) bool) questions.SimilarPassages {
	embedder := models.PinnedEmbedder(f.cfg.Embedder)
	if embedder.Model().NamesOnly || f.cfg.Memory <= 0 {
		return questions.SimilarPassages{}
	}
	out := questions.SimilarPassages{Model: embedder.Model().Name}
	s := f.set.Load()
	if s == nil || s.model != out.Model {
		out.Reason = "the embeddings of passages are not loaded yet"
		if now := f.state.Load(); now.reason == knowledge.SearchIndexTooLarge {
			out.Reason = "the embeddings of passages need more memory than KG_SEARCH_MEMORY"
		}
		return out
	}
	if s.len() == 0 {
		out.Reason = "no passage is embedded by the model yet"
		return out
	}
	limited, cancel := context.WithTimeoutCause(ctx, embedWithin, errLate)
	defer cancel()
	if err := f.similar(limited, s, embedder, wanted{question, among, most, allow}, &out); err != nil {
		out.Nearest, out.Of = nil, nil
		out.Reason = reasonOf(limited, err)
		f.cfg.Log.WarnContext(ctx, "a question is answered by its words alone", "model", out.Model, "err", err)
	}
	return out
}

// errLate ends a wait for the embedding of a question.
var errLate = errors.New("the model took too long")

func reasonOf(limited context.Context, err error) string {
	switch {
	case errors.Is(context.Cause(limited), errLate):
		return fmt.Sprintf("the model took longer than %s", embedWithin)
	case kappa.ErrorCode(err) == kappa.CodeInternal:
		return "the embeddings could not be compared"
	}
	return kappa.ErrorMessage(err)
}

// wanted is what a question wants: how near it is to the passages among, and at most so many others
// that are allowed.
type wanted struct {
	question string
	among    []int32
	most     int
	allow    func(id int32) bool
}

func (f *Follower) similar(ctx context.Context, s *set, embedder models.Embedder, w wanted, out *questions.SimilarPassages) error {
	embeddings, err := embedder.Embed(ctx, []string{w.question})
	if err != nil {
		return err
	}
	if len(embeddings) != 1 {
		return fmt.Errorf("model %s returned %d embeddings for a question", out.Model, len(embeddings))
	}
	signature := embeddings[0].Signature()
	ids, usual := s.nearest(&signature, looked*w.most, w.allow)
	known, err := f.cfg.Store.PassageVectors(ctx, s.model, append(append([]int32{}, ids...), w.among...))
	if err != nil {
		return err
	}
	out.Of = make(map[int32]float64, len(known))
	for id, e := range known {
		out.Of[id] = usual.of(embeddings[0].Cosine(e))
	}
	out.Nearest = mostSimilar(ids, out.Of, w.most)
	return nil
}
