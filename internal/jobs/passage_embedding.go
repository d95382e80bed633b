package jobs

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/work"
)

const (
	passagesAtOnce = 128  // that are embedded and stored between two checkpoints
	removedAtOnce  = 5000 // embeddings by other models
)

// passageStore keeps the embeddings of passages.
type passageStore interface {
	PassagesToEmbed(ctx context.Context, model string, after int32, most int) ([]corpus.PassageToEmbed, error)
	CountPassagesToEmbed(ctx context.Context, model string, after int32) (int, error)
	StorePassageEmbeddings(ctx context.Context, model string, passages []corpus.PassageToEmbed, embeddings []models.Embedding) error
	// RefusePassages keeps that a model refuses passages: they are not listed for a while.
	RefusePassages(ctx context.Context, model string, passages []corpus.PassageToEmbed, reason string) error
	RemoveOutdated(ctx context.Context, model string, most int) (int, error)
}

// PassageEmbeddingConfig is what NewPassageEmbedding needs.
type PassageEmbeddingConfig struct {
	Store    passageStore
	Embedder models.Embedder
	Claims   checkpointer
	Retry    work.Retrying
}

// passageEmbeddingResult is the result of a job of the type passage_embedding.
type passageEmbeddingResult struct {
	Status   string `json:"status"`
	Model    string `json:"embedding_model"`
	Embedded int    `json:"passages_embedded"`
	Refused  int    `json:"passages_refused"`   // by the model; they are found by their words alone
	Refusal  string `json:"refusal,omitempty"`  // of the last one
	Removed  int    `json:"embeddings_removed"` // by other models
}

// NewPassageEmbedding returns the job type passage_embedding: it embeds the passages that have no
// embedding by the server's model, as those of documents that were ingested before there was one,
// or while it failed; and it removes the embeddings by other models then. An attempt that ends
// early loses one batch. A passage that the model refuses keeps no other waiting, and is tried
// again after a day. It has nothing to do where no model embeds passages.
func NewPassageEmbedding(cfg PassageEmbeddingConfig) work.JobType {
	return work.JobType{
		Name: corpus.TypePassageEmbedding, Summary: "Embeds passages that have no embedding by the server's model.", Lane: "system",
		Schedulable: true, Retryable: true,
		Handler: func(ctx context.Context, c work.Claim) (json.RawMessage, error) {
			e := passageEmbedding{PassageEmbeddingConfig: cfg, claim: c}
			e.Embedder = models.PinnedEmbedder(cfg.Embedder)
			result, err := e.run(ctx)
			switch {
			case err != nil && ctx.Err() != nil:
				return nil, context.Cause(ctx)
			case err != nil:
				return nil, err
			}
			return json.Marshal(result)
		},
	}
}

// passageEmbedding is one attempt.
type passageEmbedding struct {
	PassageEmbeddingConfig
	claim work.Claim
}

func (e passageEmbedding) run(ctx context.Context) (result passageEmbeddingResult, err error) {
	model := e.Embedder.Model()
	result = passageEmbeddingResult{Status: string(work.StatusCompleted), Model: model.Name}
	if model.NamesOnly {
		return result, nil
	}
	if err = e.embedAll(ctx, model.Name, &result); err != nil {
		return result, err
	}
	result.Removed, err = e.removeOutdated(ctx, model.Name)
	return result, err
}

// embedAll embeds until no passage is left, and counts them in result.
func (e passageEmbedding) embedAll(ctx context.Context, model string, result *passageEmbeddingResult) error {
	left := 0
	err := e.Retry(ctx, "count passages to embed", func(ctx context.Context) (err error) {
		left, err = e.Store.CountPassagesToEmbed(ctx, model, 0)
		return err
	})
	if err != nil || left == 0 {
		return err
	}
	for after := int32(0); ; {
		done := result.Embedded + result.Refused
		if err := e.checkpoint(ctx, done, max(left, done)); err != nil {
			return err
		}
		var batch []corpus.PassageToEmbed
		err := e.Retry(ctx, "list passages to embed", func(ctx context.Context) (err error) {
			batch, err = e.Store.PassagesToEmbed(ctx, model, after, passagesAtOnce)
			return err
		})
		if err != nil || len(batch) == 0 {
			return err
		}
		if err := e.embed(ctx, model, batch, result); err != nil {
			return err
		}
		after = batch[len(batch)-1].ID
	}
}

// embed embeds some passages, as far as the model takes them, and stores that.
func (e passageEmbedding) embed(ctx context.Context, model string, batch []corpus.PassageToEmbed, result *passageEmbeddingResult) error {
	texts := make([]string, len(batch))
	for i, p := range batch {
		texts[i] = p.Text
	}
	all, why, err := embedEach(ctx, e.Embedder, texts)
	if err != nil {
		return fmt.Errorf("embed passages: %w", err)
	}
	var taken, refused []corpus.PassageToEmbed
	var embeddings []models.Embedding
	for i, p := range batch {
		if all[i] == nil {
			refused = append(refused, p)
		} else {
			taken, embeddings = append(taken, p), append(embeddings, all[i])
		}
	}
	err = e.Retry(ctx, "store embeddings of passages", func(ctx context.Context) error {
		return e.Store.StorePassageEmbeddings(ctx, model, taken, embeddings)
	})
	if err != nil || len(refused) == 0 {
		result.Embedded += len(taken)
		return err
	}
	result.Embedded, result.Refused, result.Refusal = result.Embedded+len(taken), result.Refused+len(refused), kappa.ErrorMessage(why)
	return e.Retry(ctx, "store which passages the model refuses", func(ctx context.Context) error {
		return e.Store.RefusePassages(ctx, model, refused, result.Refusal)
	})
}

// removeOutdated removes what other models have embedded, which nobody reads any more.
func (e passageEmbedding) removeOutdated(ctx context.Context, model string) (removed int, err error) {
	for {
		n := 0
		err := e.Retry(ctx, "remove embeddings by other models", func(ctx context.Context) (err error) {
			n, err = e.Store.RemoveOutdated(ctx, model, removedAtOnce)
			return err
		})
		if removed += n; err != nil || n < removedAtOnce {
			return removed, err
		}
	}
}

// checkpoint reports the progress, and learns whether the job is still ours.
func (e passageEmbedding) checkpoint(ctx context.Context, done, all int) error {
	p := work.Progress{
		Stage: "embedding passages", Percent: work.PercentDone(done, all),
		Counters: work.Counters{{Name: "passages_total", Value: all}, {Name: "passages_processed", Value: done}},
	}
	return e.Retry(ctx, "store a checkpoint", func(ctx context.Context) error {
		return e.Claims.Checkpoint(ctx, e.claim, work.Checkpoint{Progress: p, Emit: true})
	})
}
