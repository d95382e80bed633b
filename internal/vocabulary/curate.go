package vocabulary

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kappagraph/kappa"
)

// words keeps what curating changes.
type words interface {
	VocabularyWords(ctx context.Context, model string) ([]kappa.TypeWord, error)
	StoreCategories(ctx context.Context, words []kappa.TypeWord) error
	MergeTypes(ctx context.Context, m kappa.NewMerge, c *kappa.Claim, next func(id int) kappa.Checkpoint) (kappa.VocabularyMerge, error)
	AddReviews(ctx context.Context, list []kappa.VocabularyReview) error
	Reviews(ctx context.Context, status string) ([]kappa.VocabularyReview, error)
	VocabularySettings(ctx context.Context) (kappa.VocabularySettings, error)
}

// embedAtOnce is how many types are embedded between two yields.
const embedAtOnce = 32

// Words returns the active types with their embeddings, which it makes where they are
// missing.
func (v *Vocabulary) Words(ctx context.Context) ([]kappa.TypeWord, error) {
	if _, err := v.Embed(ctx); err != nil {
		return nil, err
	}
	return v.cfg.Store.VocabularyWords(ctx, v.cfg.Embedder.Model().Name)
}

// Word returns an active type, in whatever case, and all of them. An unknown one is
// CodeNotFound.
func (v *Vocabulary) Word(ctx context.Context, name string) (kappa.TypeWord, []kappa.TypeWord, error) {
	all, err := v.Words(ctx)
	if err != nil {
		return kappa.TypeWord{}, nil, err
	}
	for _, w := range all {
		if w.Name == strings.ToUpper(name) {
			return w, all, nil
		}
	}
	return kappa.TypeWord{}, nil, kappa.NewError(kappa.CodeNotFound, "Relationship type '"+name+"' not found")
}

// RefreshCategories gives every type that is not built in the category that it is most
// like; with onlyComputed those only whose category is not one that a person gave. It calls
// each before the first type and after every one, whose error ends it: what was assigned
// until then is stored.
func (v *Vocabulary) RefreshCategories(ctx context.Context, onlyComputed bool, each func(done, of int) error) (assigned []kappa.CategoryScores, ambiguous int, err error) {
	all, err := v.Words(ctx)
	if err != nil {
		return assigned, ambiguous, err
	}
	var own []kappa.TypeWord
	for _, w := range all {
		if !w.Builtin && (!onlyComputed || w.Category == kappa.CategoryGenerated || w.Confidence != nil) {
			own = append(own, w)
		}
	}
	if err := each(0, len(own)); err != nil {
		return assigned, ambiguous, err
	}
	for i, w := range own {
		scores, ok := kappa.ScoreCategories(w, all)
		if ok {
			w.Category, w.Confidence, w.Ambiguous = scores.Category, &scores.Confidence, scores.Ambiguous
			if err := v.cfg.Store.StoreCategories(ctx, []kappa.TypeWord{w}); err != nil {
				return assigned, ambiguous, err
			}
			if scores.Ambiguous {
				ambiguous++
			}
			assigned = append(assigned, scores)
		}
		if err := each(i+1, len(own)); err != nil {
			return assigned, ambiguous, err
		}
	}
	return assigned, ambiguous, nil
}

// EmbedAll embeds the types that have no embedding of the model, or one of another text,
// or without onlyMissing all of them. It calls each before the first batch and after every
// one; what was embedded until its error is stored.
func (v *Vocabulary) EmbedAll(ctx context.Context, onlyMissing bool, each func(done, of int) error) (embedded int, err error) {
	model := v.cfg.Embedder.Model().Name
	types, err := v.cfg.Store.TypeVectors(ctx, model)
	if err != nil {
		return 0, err
	}
	var stale []kappa.TypeVector
	for _, t := range types {
		if !onlyMissing || t.Embedding == nil || t.Text != t.WantedText() {
			stale = append(stale, t)
		}
	}
	if err := each(0, len(stale)); err != nil {
		return 0, err
	}
	for embedded < len(stale) {
		batch := stale[embedded:min(len(stale), embedded+embedAtOnce)]
		texts := make([]string, len(batch))
		for i, t := range batch {
			texts[i] = t.WantedText()
		}
		vectors, err := v.cfg.Embedder.Embed(ctx, texts)
		if err != nil {
			return embedded, err
		}
		for i := range batch {
			batch[i].Embedding, batch[i].Text, batch[i].Projection = vectors[i], texts[i], nil
		}
		if err := v.cfg.Store.StoreTypeVectors(ctx, model, batch); err != nil {
			return embedded, err
		}
		embedded += len(batch)
		if err := each(embedded, len(stale)); err != nil {
			return embedded, err
		}
	}
	_, err = v.Embed(ctx) // projects all of them on the axis anew
	return embedded, err
}

// Consolidate merges types that mean the same, the most similar ones first, and proposes
// to a person those that are not similar enough for that; see kappa.Consolidation. done is
// what an earlier attempt had done. Each merge is one transaction under the claim, together
// with the checkpoint that next makes; each is called after every pair.
func (v *Vocabulary) Consolidate(ctx context.Context, c *kappa.Claim, o kappa.Consolidation, done kappa.Consolidated,
	next func(kappa.Consolidated) kappa.Checkpoint, each func(done, of int) error,
) (kappa.Consolidated, error) {
	settings, err := v.cfg.Store.VocabularySettings(ctx)
	if err != nil {
		return done, err
	}
	run := consolidation{v: v, claim: c, o: o, done: done, next: next, each: each, leastSimilar: min(settings.ReviewThreshold, o.AutoThreshold)}
	for again := true; again; {
		if again, err = run.round(ctx); err != nil {
			return run.done, err
		}
	}
	return run.done, nil
}

// consolidation is one run.
type consolidation struct {
	v            *Vocabulary
	claim        *kappa.Claim
	o            kappa.Consolidation
	done         kappa.Consolidated
	next         func(kappa.Consolidated) kappa.Checkpoint
	each         func(done, of int) error
	leastSimilar float64
}

// round compares all types once, and merges up to a batch of them. It reports whether
// another round may find more.
func (r *consolidation) round(ctx context.Context) (again bool, err error) {
	if err := r.each(0, 1); err != nil { // also when there is no pair
		return false, err
	}
	all, err := r.v.Words(ctx)
	if err != nil {
		return false, err
	}
	decided, err := r.rejected(ctx)
	if err != nil {
		return false, err
	}
	if r.done.InitialSize == 0 {
		r.done.InitialSize = len(all)
	}
	r.done.FinalSize, r.done.Review, r.done.Rejected, r.done.Candidates = len(all), 0, 0, nil
	pairs := kappa.MergeCandidates(all, r.leastSimilar)
	var open []kappa.VocabularyReview
	gone, merged := map[string]bool{}, 0
	for i, pair := range pairs {
		if err := r.each(i, len(pairs)); err != nil {
			return false, err
		}
		switch {
		case gone[pair.Source] || gone[pair.Target]:
			again = true // with what they have become
			continue
		case pair.Reverses || decided[[2]string{pair.Source, pair.Target}] || decided[[2]string{pair.Target, pair.Source}]:
			r.done.Rejected++
			continue
		case pair.Similarity < r.o.AutoThreshold || !r.o.AutoMode || r.done.FinalSize <= r.o.TargetSize:
			r.done.Review++
			open = append(open, kappa.VocabularyReview{Source: pair.Source, Target: pair.Target, Similarity: pair.Similarity, Reason: r.reason(pair)})
			continue
		}
		r.done.Candidates = append(r.done.Candidates, pair)
		if merged == r.o.BatchSize && !r.o.DryRun {
			return true, nil
		}
		if err := r.merge(ctx, pair); err != nil {
			return false, err
		}
		gone[pair.Source] = true
		merged++
		r.done.FinalSize--
	}
	if r.o.DryRun {
		return false, nil
	}
	return again && merged > 0, r.v.cfg.Store.AddReviews(ctx, open)
}

// reason says why a pair is for a person.
func (r *consolidation) reason(pair kappa.MergeCandidate) string {
	switch {
	case pair.Similarity < r.o.AutoThreshold:
		return fmt.Sprintf("similarity %.2f is less than %.2f", pair.Similarity, r.o.AutoThreshold)
	case !r.o.AutoMode:
		return "nothing was to be merged without a person"
	}
	return fmt.Sprintf("the vocabulary has its target size of %d", r.o.TargetSize)
}

// merge merges a pair under the claim; a dry run only counts it.
func (r *consolidation) merge(ctx context.Context, pair kappa.MergeCandidate) error {
	if r.o.DryRun {
		r.done.Merged++
		return nil
	}
	before := r.done
	similarity := math.Round(pair.Similarity*1e4) / 1e4
	m := kappa.NewMerge{Source: pair.Source, Target: pair.Target, Similarity: &similarity, Reason: fmt.Sprintf("similarity %.2f", similarity), By: "vocab_consolidate"}
	_, err := r.v.cfg.Store.MergeTypes(ctx, m, r.claim, func(id int) kappa.Checkpoint {
		r.done.Merged, r.done.Merges = before.Merged+1, append(slices.Clone(before.Merges), id)
		return r.next(r.done)
	})
	return err
}

// rejected are the pairs that a person has refused.
func (r *consolidation) rejected(ctx context.Context) (map[[2]string]bool, error) {
	list, err := r.v.cfg.Store.Reviews(ctx, kappa.ReviewRejected)
	pairs := make(map[[2]string]bool, len(list))
	for _, review := range list {
		pairs[[2]string{review.Source, review.Target}] = true
	}
	return pairs, err
}
