package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// sourcesAtOnce is how many chunks are embedded between two yields.
const sourcesAtOnce = 16

// sourceStore keeps the embeddings of chunks.
type sourceStore interface {
	SourcesToEmbed(ctx context.Context, model string, f corpus.SourceSelection, most int) ([]corpus.SourceToEmbed, error)
	CountSourcesToEmbed(ctx context.Context, model string, f corpus.SourceSelection) (int, error)
	StoreSourcePieces(ctx context.Context, c work.Claim, model string, pieces []corpus.SourcePiece, next work.Checkpoint) error
}

type sourceEmbeddingData struct {
	SourceID string `json:"source_id"`
	Force    bool   `json:"force"`
}

// sourceEmbeddingState is the checkpoint.
type sourceEmbeddingState struct {
	After      int `json:"after"` // the last chunk that is done
	Sources    int `json:"sources"`
	Pieces     int `json:"pieces"`
	Characters int `json:"characters"`
}

type sourceEmbeddingResult struct {
	Success    bool    `json:"success"`
	SourceID   *string `json:"source_id"` // null: all chunks
	Sources    int     `json:"sources_embedded"`
	Pieces     int     `json:"chunks_created"`
	Model      string  `json:"embedding_model"`
	Dimensions int     `json:"embedding_dimension"`
	Characters int     `json:"total_chars"`
	Strategy   string  `json:"chunk_strategy"`
}

// NewSourceEmbedding returns the job type source_embedding: it embeds the source chunks
// whose embedding is missing or of another text. It yields after every batch, which is
// stored with its checkpoint; an attempt after one that was interrupted goes on after it.
func NewSourceEmbedding(store sourceStore, embedder models.Embedder, retry work.Retrying) work.JobType {
	return typed(work.JobType{
		Name: corpus.TypeSourceEmbedding, Summary: "Embeds source chunks whose embedding is missing or stale.", Lane: "system",
		Schedulable: true, Retryable: true, Resumable: true,
	}, dataOf(sourceEmbeddingData{}, `{"source_id": "src_1"}`, checkSourceEmbedding), func(ctx context.Context, c work.Claim, data sourceEmbeddingData) (any, error) {
		run := sourceEmbedding{store: store, embedder: models.PinnedEmbedder(embedder), retry: retry, claim: c, data: data}
		_, err := resume(c, &run.state)
		if err == nil {
			err = run.all(ctx)
		}
		return run.result(), err
	})
}

func checkSourceEmbedding(data sourceEmbeddingData) error {
	if data.SourceID == "" {
		return nil
	}
	return knowledge.CheckConceptID("body", "data.source_id", data.SourceID)
}

// sourceEmbedding is one attempt.
type sourceEmbedding struct {
	store      sourceStore
	embedder   models.Embedder
	retry      work.Retrying
	claim      work.Claim
	data       sourceEmbeddingData
	state      sourceEmbeddingState
	dimensions int
}

func (r *sourceEmbedding) selection() corpus.SourceSelection {
	return corpus.SourceSelection{SourceID: r.data.SourceID, Force: r.data.Force, After: r.state.After}
}

func (r *sourceEmbedding) all(ctx context.Context) error {
	model := r.embedder.Model().Name
	left, err := r.store.CountSourcesToEmbed(ctx, model, r.selection())
	if err != nil {
		return err
	}
	total := r.state.Sources + left
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		sources, err := r.store.SourcesToEmbed(ctx, model, r.selection(), sourcesAtOnce)
		if err != nil || len(sources) == 0 {
			return err
		}
		if err := r.batch(ctx, model, sources, total); err != nil {
			return err
		}
	}
}

// batch embeds some chunks and stores them.
func (r *sourceEmbedding) batch(ctx context.Context, model string, sources []corpus.SourceToEmbed, total int) error {
	var pieces []corpus.SourcePiece
	var texts []string
	next := r.state
	for _, s := range sources {
		for _, p := range corpus.PiecesOf(s) {
			pieces, texts = append(pieces, p), append(texts, p.Text())
		}
		next.After, next.Sources, next.Characters = s.ID, next.Sources+1, next.Characters+len([]rune(s.Text))
	}
	next.Pieces += len(pieces)
	vectors, refused, err := embedEach(ctx, r.embedder, texts)
	if err = cmp.Or(err, refused); err != nil {
		return err
	}
	for i := range pieces {
		pieces[i].Embedding = vectors[i]
		r.dimensions = len(vectors[i])
	}
	state, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("encode the checkpoint: %w", err)
	}
	p := work.Progress{Stage: "embedding", Percent: work.PercentDone(next.Sources, total), ItemsTotal: max(total, next.Sources), ItemsProcessed: next.Sources}
	err = r.retry(ctx, "store embeddings", func(ctx context.Context) error {
		return r.store.StoreSourcePieces(ctx, r.claim, model, pieces, work.Checkpoint{State: state, Progress: p, Emit: true})
	})
	if err == nil {
		r.state = next
	}
	return err
}

func (r *sourceEmbedding) result() sourceEmbeddingResult {
	result := sourceEmbeddingResult{
		Success: true, Sources: r.state.Sources, Pieces: r.state.Pieces, Model: r.embedder.Model().Name, Dimensions: r.dimensions,
		Characters: r.state.Characters, Strategy: "white_space",
	}
	if r.data.SourceID != "" {
		result.SourceID = &r.data.SourceID
	}
	return result
}
