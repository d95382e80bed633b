package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/work"
)

// reembedBatch is how many concepts are embedded at a time, and stored together.
const reembedBatch = 128

// reembedder is what the job type reembed needs of the store.
type reembedder interface {
	ChangeSpace(ctx context.Context, model string) error
	// Outdated returns the first concepts whose embeddings are of another model, and how
	// many there are in all.
	Outdated(ctx context.Context, model string, most int) ([]models.OutdatedConcept, int, error)
	Replace(ctx context.Context, model string, concepts []models.OutdatedConcept, embeddings []models.Embedding) error
	FinishSpace(ctx context.Context, model string) error
}

// reembedResult is the result of a job of the type reembed.
type reembedResult struct {
	Status         string `json:"status"`
	Model          string `json:"embedding_model"`
	ProcessedCount int    `json:"processed_count"`
	Passages       int    `json:"passages_processed"`
	Refused        int    `json:"passages_refused"` // by the model
	Refusal        string `json:"refusal,omitempty"`
}

// ReembedConfig is what NewReembed needs.
type ReembedConfig struct {
	Store    reembedder
	Passages passageStore
	Embedder models.Embedder
	Claims   checkpointer
	Retry    work.Retrying
}

// NewReembed returns the job type reembed: it makes the embedding of every concept anew
// with the server's model, a batch at a time, and then those of the passages, which keep the
// old ones until all have new ones. An attempt that ends early loses one batch; the next one
// does what is left, as does a second job beside it.
func NewReembed(cfg ReembedConfig) work.JobType {
	return work.JobType{
		Name: models.TypeReembed, Summary: "Embeds every concept and passage anew, after another model was chosen for that.", Lane: "maintenance",
		Permission: access.WorkersManage, Retryable: true,
		Handler: func(ctx context.Context, c work.Claim) (json.RawMessage, error) {
			r := reembedding{ReembedConfig: cfg, claim: c}
			r.Embedder = models.PinnedEmbedder(cfg.Embedder)
			r.model = r.Embedder.Model().Name
			done, err := r.run(ctx)
			var passages passageEmbeddingResult
			if err == nil {
				passages, err = r.passages().run(ctx)
			}
			switch {
			case err != nil && ctx.Err() != nil:
				return nil, context.Cause(ctx)
			case err != nil:
				return nil, err
			}
			return json.Marshal(reembedResult{string(work.StatusCompleted), r.model, done, passages.Embedded, passages.Refused, passages.Refusal})
		},
	}
}

// reembedding is one attempt.
type reembedding struct {
	ReembedConfig
	claim work.Claim
	model string
}

// passages embeds the passages for the same job.
func (r reembedding) passages() passageEmbedding {
	return passageEmbedding{PassageEmbeddingConfig{Store: r.Passages, Embedder: r.Embedder, Claims: r.Claims, Retry: r.Retry}, r.claim}
}

// run embeds until nothing is left, and returns how many concepts that were.
func (r reembedding) run(ctx context.Context) (done int, err error) {
	if err := r.Retry(ctx, "change the graph's model", func(ctx context.Context) error { return r.Store.ChangeSpace(ctx, r.model) }); err != nil {
		return 0, err
	}
	for {
		var batch []models.OutdatedConcept
		var left int
		err := r.Retry(ctx, "list concepts to embed", func(ctx context.Context) (err error) {
			batch, left, err = r.Store.Outdated(ctx, r.model, reembedBatch)
			return err
		})
		if err != nil {
			return done, err
		}
		if err := r.checkpoint(ctx, done, left); err != nil {
			return done, err
		}
		if len(batch) == 0 {
			break
		}
		if err := r.embed(ctx, batch); err != nil {
			return done, err
		}
		done += len(batch)
	}
	return done, r.Retry(ctx, "finish the change of the graph's model", func(ctx context.Context) error { return r.Store.FinishSpace(ctx, r.model) })
}

func (r reembedding) embed(ctx context.Context, batch []models.OutdatedConcept) error {
	texts := make([]string, len(batch))
	for i, c := range batch {
		texts[i] = c.Text
	}
	embeddings, refused, err := embedEach(ctx, r.Embedder, texts)
	if err = cmp.Or(err, refused); err != nil { // a concept without an embedding would match nothing
		return fmt.Errorf("embed concepts: %w", err)
	}
	return r.Retry(ctx, "store embeddings", func(ctx context.Context) error { return r.Store.Replace(ctx, r.model, batch, embeddings) })
}

// checkpoint reports the progress, and learns whether the job is still ours.
func (r reembedding) checkpoint(ctx context.Context, done, left int) error {
	p := work.Progress{
		Stage: "embedding", Percent: work.PercentDone(done, done+left),
		Counters: work.Counters{{Name: "concepts_total", Value: done + left}, {Name: "concepts_processed", Value: done}},
	}
	if left == 0 {
		p.Percent = 100
	}
	return r.Retry(ctx, "store a checkpoint", func(ctx context.Context) error {
		return r.Claims.Checkpoint(ctx, r.claim, work.Checkpoint{Progress: p, Emit: true})
	})
}
