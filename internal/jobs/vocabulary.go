package jobs

import (
	"context"
	"encoding/json"
	"time"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// shownAssignments is how many assignments the result of a refresh shows.
const shownAssignments = 10

// shownCandidates is how many pairs the result of a consolidation shows.
const shownCandidates = 50

// Refreshing gives relationship types their categories; see
// vocabulary.Vocabulary.RefreshCategories.
type Refreshing func(ctx context.Context, onlyComputed bool, each func(done, of int) error) (vocabulary.RefreshedCategories, error)

type refreshData struct {
	OnlyComputed bool `json:"only_computed"`
}

type refreshResult struct {
	Status       string                      `json:"status"`
	Refreshed    int                         `json:"refreshed_count"`
	Ambiguous    int                         `json:"ambiguous_count"`
	Skipped      int                         `json:"skipped_count"`
	Failed       int                         `json:"failed_count"`
	OnlyComputed bool                        `json:"only_computed"`
	Assignments  []vocabulary.CategoryScores `json:"assignments"` // the first ten
}

// NewVocabRefresh returns the job type vocab_refresh: it gives each relationship type that
// documents brought in the category that it is most like. It yields after every type, and
// stores each at once; an attempt after one that was interrupted begins anew and comes to
// the same.
func NewVocabRefresh(refresh Refreshing, claims checkpointer, retry work.Retrying) work.JobType {
	return typed(work.JobType{
		Name: vocabulary.TypeRefresh, Summary: "Sorts relationship types into categories.", Lane: "maintenance", Permission: access.VocabularyWrite,
		Schedulable: true, Retryable: true,
	}, dataOf(refreshData{OnlyComputed: true}, `{"only_computed": true}`, nil), func(ctx context.Context, c work.Claim, data refreshData) (any, error) {
		done, err := refresh(ctx, data.OnlyComputed, yielder(ctx, c, claims, retry, "sorting"))
		if err != nil {
			return nil, err
		}
		shown := append([]vocabulary.CategoryScores{}, done.Assigned[:min(shownAssignments, len(done.Assigned))]...)
		return refreshResult{"completed", len(done.Assigned), done.Ambiguous, done.Skipped, done.Failed, data.OnlyComputed, shown}, nil
	})
}

// EmbeddingTypes embeds relationship types; see vocabulary.Vocabulary.EmbedAll.
type EmbeddingTypes func(ctx context.Context, onlyMissing bool, each func(done, of int) error) (embedded, skipped int, err error)

type embeddingData struct {
	OnlyMissing bool `json:"only_missing"`
}

type embeddingResult struct {
	Status    string `json:"status"`
	Component string `json:"component"`
	Target    int    `json:"target_count"`
	Processed int    `json:"processed_count"`
	Skipped   int    `json:"skipped_count"`
	Failed    int    `json:"failed_count"` // always 0: a batch that fails fails the attempt
	Duration  int64  `json:"duration_ms"`
}

// NewVocabEmbedding returns the job type vocab_embedding: it embeds the relationship types
// whose embedding is missing or stale, or all of them. It yields after every batch, which
// is stored; an attempt after one that was interrupted embeds what is missing still.
func NewVocabEmbedding(embed EmbeddingTypes, claims checkpointer, retry work.Retrying) work.JobType {
	return typed(work.JobType{
		Name: vocabulary.TypeEmbedding, Summary: "Embeds relationship types.", Lane: "maintenance", Permission: access.VocabularyWrite,
		Schedulable: true, Retryable: true,
	}, dataOf(embeddingData{OnlyMissing: true}, `{"only_missing": true}`, nil), func(ctx context.Context, c work.Claim, data embeddingData) (any, error) {
		began, target := time.Now(), 0
		yield := yielder(ctx, c, claims, retry, "embedding")
		n, skipped, err := embed(ctx, data.OnlyMissing, func(done, of int) error {
			target = of
			return yield(done, of)
		})
		return embeddingResult{"completed", "vocabulary", target, n, skipped, 0, time.Since(began).Milliseconds()}, err
	})
}

// Consolidating merges relationship types; see vocabulary.Vocabulary.Consolidate.
type Consolidating func(ctx context.Context, c *work.Claim, o curation.Consolidation, done curation.Consolidated,
	next func(curation.Consolidated) work.Checkpoint, each func(done, of int) error) (curation.Consolidated, error)

// NewVocabConsolidate returns the job type vocab_consolidate: it removes the relationship
// types that nothing uses, when it is asked to, merges those that mean the same, and
// proposes to a person those that may. It yields after every pair. Each merge is one transaction with its checkpoint, and can be undone; an attempt after
// one that was interrupted goes on with what is left.
func NewVocabConsolidate(consolidate Consolidating, claims checkpointer, retry work.Retrying) work.JobType {
	read := dataOf(curation.NewConsolidation(), `{"target_size": 90, "dry_run": true}`, func(o curation.Consolidation) error { return o.Validate("data.") })
	return typed(work.JobType{
		Name: vocabulary.TypeConsolidate, Summary: "Merges relationship types that mean the same.", Lane: "system", Permission: access.VocabularyWrite,
		Schedulable: true, Retryable: true,
	}, read, func(ctx context.Context, c work.Claim, o curation.Consolidation) (any, error) {
		var done curation.Consolidated
		if _, err := resume(c, &done); err != nil {
			return nil, err
		}
		done, err := consolidate(ctx, &c, o, done, merging, yielder(ctx, c, claims, retry, "comparing"))
		if err != nil {
			return nil, err
		}
		done.Candidates = append([]vocabulary.MergeCandidate{}, done.Candidates[:min(shownCandidates, len(done.Candidates))]...)
		done.Merges = append([]int{}, done.Merges...)
		done.PrunedTypes = append([]string{}, done.PrunedTypes...)
		done.Executed = append([]curation.ExecutedMerge{}, done.Executed...)
		done.Refused = append([]curation.RefusedMerge{}, done.Refused...)
		return curation.NewConsolidationOutcome(o, done), nil
	})
}

// merging is the checkpoint after a merge.
func merging(now curation.Consolidated) work.Checkpoint {
	now.Candidates, now.Refused = nil, nil
	state, _ := json.Marshal(now) // always encodes
	return work.Checkpoint{State: state, Emit: true, Progress: work.Progress{Stage: "merging", ItemsProcessed: now.Merged}}
}
