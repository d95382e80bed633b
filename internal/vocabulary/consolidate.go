package vocabulary

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// Consolidate merges types that mean the same, the most similar ones first, and proposes
// to a person those that are not similar enough for that; see curation.Consolidation. done is
// what an earlier attempt had done. Each merge is one transaction under the claim, together
// with the checkpoint that next makes; each is called after every pair. A pair of which
// somebody has merged a type meanwhile is reported with its error, and left.
func (v *Vocabulary) Consolidate(ctx context.Context, c *work.Claim, o curation.Consolidation, done curation.Consolidated,
	next func(curation.Consolidated) work.Checkpoint, each func(done, of int) error,
) (curation.Consolidated, error) {
	settings, err := v.cfg.Store.VocabularySettings(ctx)
	if err != nil {
		return done, err
	}
	run := consolidation{
		v: v, claim: c, o: o, done: done, next: next, each: each,
		leastSimilar: min(settings.ReviewThreshold, o.AutoThreshold), unused: map[string]bool{}, failed: map[vocabulary.MergeCandidate]string{},
	}
	if err := run.begin(ctx); err != nil {
		return run.done, err
	}
	for again := true; again; {
		if again, err = run.round(ctx); err != nil {
			return run.done, err
		}
	}
	return run.done, run.report(ctx)
}

// consolidation is one run.
type consolidation struct {
	v            *Vocabulary
	claim        *work.Claim
	o            curation.Consolidation
	done         curation.Consolidated
	next         func(curation.Consolidated) work.Checkpoint
	each         func(done, of int) error
	leastSimilar float64
	unused       map[string]bool                      // of a dry run: types that would be removed
	failed       map[vocabulary.MergeCandidate]string // pairs that were not merged, and why
	open         []vocabulary.Review                  // of the round: pairs for a person
}

// begin counts the types, and removes those that nothing uses when it is asked to: one
// that is gone need not be merged.
func (r *consolidation) begin(ctx context.Context) error {
	if err := r.each(0, 0); err != nil { // how many pairs there are is not known yet
		return err
	}
	if r.done.InitialSize == 0 {
		all, err := r.v.Words(ctx)
		if err != nil {
			return err
		}
		r.done.InitialSize = len(all)
	}
	if !r.o.PruneUnused {
		return nil
	}
	if r.o.DryRun {
		names, err := r.v.cfg.Store.UnusedTypes(ctx)
		for _, name := range names {
			r.unused[name] = true
		}
		r.done.Pruned, r.done.PrunedTypes = len(names), names
		return err
	}
	before := r.done.PrunedTypes
	_, err := r.v.cfg.Store.PruneTypes(ctx, r.claim, func(names []string) work.Checkpoint {
		r.done.PrunedTypes = append(slices.Clone(before), names...)
		r.done.Pruned = len(r.done.PrunedTypes)
		return r.next(r.done)
	})
	return err
}

// round compares all types once, and merges up to a batch of them. It reports whether
// another round may find more.
func (r *consolidation) round(ctx context.Context) (again bool, err error) {
	all, err := r.v.Words(ctx)
	if err != nil {
		return false, err
	}
	all = slices.DeleteFunc(all, func(w vocabulary.TypeWord) bool { return r.unused[w.Name] })
	decided, err := r.rejected(ctx)
	if err != nil {
		return false, err
	}
	r.done.FinalSize, r.done.Review, r.done.Rejected, r.done.Candidates, r.done.Refused = len(all), 0, 0, nil, nil
	pairs := vocabulary.MergeCandidates(all, r.leastSimilar)
	r.open = nil
	gone, merged := map[string]bool{}, 0
	for i, pair := range pairs {
		if err := r.each(i, len(pairs)); err != nil {
			return false, err
		}
		if gone[pair.Source] || gone[pair.Target] {
			again = true // with what they have become
			continue
		}
		if r.left(pair, decided) {
			continue
		}
		r.done.Candidates = append(r.done.Candidates, pair)
		if merged == r.o.BatchSize && !r.o.DryRun {
			return true, nil
		}
		ok, err := r.merge(ctx, pair, all)
		if err != nil {
			return false, err
		}
		gone[pair.Source] = true
		if ok {
			merged++
			r.done.FinalSize--
		}
	}
	if r.o.DryRun {
		return false, nil
	}
	return again && merged > 0, r.v.cfg.Store.AddReviews(ctx, r.open)
}

// left reports whether a pair is not to be merged now, and counts why.
func (r *consolidation) left(pair vocabulary.MergeCandidate, decided map[[2]string]bool) bool {
	refused := refusal(pair, decided)
	switch {
	case refused != "":
		r.done.Rejected++
		if len(r.done.Refused) < curation.MaxRefusedMerges {
			r.done.Refused = append(r.done.Refused, curation.RefusedMerge{First: pair.Source, Second: pair.Target, Reason: refused})
		}
	case r.failed[pair] != "":
	case pair.Similarity < r.o.AutoThreshold || !r.o.AutoMode || r.done.FinalSize <= r.o.TargetSize:
		r.done.Review++
		r.open = append(r.open, vocabulary.Review{Source: pair.Source, Target: pair.Target, Similarity: pair.Similarity, Reason: r.reason(pair)})
	default:
		return false
	}
	return true
}

// refusal says why a pair must stay apart, "" when it need not.
func refusal(pair vocabulary.MergeCandidate, decided map[[2]string]bool) string {
	switch {
	case pair.Reverses:
		return "one says the reverse of the other"
	case decided[[2]string{pair.Source, pair.Target}], decided[[2]string{pair.Target, pair.Source}]:
		return "a person has refused it"
	}
	return ""
}

// reason says why a pair is for a person.
func (r *consolidation) reason(pair vocabulary.MergeCandidate) string {
	switch {
	case pair.Similarity < r.o.AutoThreshold:
		return fmt.Sprintf("similarity %.2f is less than %.2f", pair.Similarity, r.o.AutoThreshold)
	case !r.o.AutoMode:
		return "nothing was to be merged without a person"
	}
	return fmt.Sprintf("the vocabulary has its target size of %d", r.o.TargetSize)
}

// merge merges a pair under the claim; a dry run only counts it. It reports whether the
// source is gone, which it is not when somebody has merged one of the two meanwhile.
func (r *consolidation) merge(ctx context.Context, pair vocabulary.MergeCandidate, all []vocabulary.TypeWord) (merged bool, err error) {
	similarity := math.Round(pair.Similarity*1e4) / 1e4
	reason := fmt.Sprintf("similarity %.2f", similarity)
	if r.o.DryRun {
		r.done.Merged++
		source := all[slices.IndexFunc(all, func(w vocabulary.TypeWord) bool { return w.Name == pair.Source })]
		r.done.Executed = append(r.done.Executed, curation.ExecutedMerge{Source: pair.Source, Target: pair.Target, Similarity: similarity, Reason: reason, Edges: source.Edges})
		return true, nil
	}
	before := r.done
	m := vocabulary.NewMerge{Source: pair.Source, Target: pair.Target, Similarity: &similarity, Reason: reason, By: "vocab_consolidate"}
	_, err = r.v.cfg.Store.MergeTypes(ctx, m, r.claim, func(id int) work.Checkpoint {
		r.done.Merged, r.done.Merges = before.Merged+1, append(slices.Clone(before.Merges), id)
		return r.next(r.done)
	})
	switch kappa.ErrorCode(err) {
	case "":
		return true, nil
	case kappa.CodeConflict, kappa.CodeNotFound:
		r.done = before
		r.failed[pair] = kappa.ErrorMessage(err)
		return false, nil
	default:
		return false, err
	}
}

// report says what the merges have done, those of earlier attempts too, and which failed.
func (r *consolidation) report(ctx context.Context) error {
	if r.o.DryRun {
		return nil
	}
	made, err := r.v.cfg.Store.MergesMade(ctx, r.done.Merges)
	if err != nil {
		return err
	}
	r.done.Executed = made
	for pair, why := range r.failed {
		r.done.Executed = append(r.done.Executed, curation.ExecutedMerge{
			Source: pair.Source, Target: pair.Target, Similarity: pair.Similarity, Reason: fmt.Sprintf("similarity %.2f", pair.Similarity), Error: &why,
		})
	}
	return nil
}

// rejected are the pairs that a person has refused.
func (r *consolidation) rejected(ctx context.Context) (map[[2]string]bool, error) {
	list, err := r.v.cfg.Store.Reviews(ctx, vocabulary.ReviewRejected)
	pairs := make(map[[2]string]bool, len(list))
	for _, review := range list {
		pairs[[2]string{review.Source, review.Target}] = true
	}
	return pairs, err
}
