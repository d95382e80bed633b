package ingest

import (
	"context"
	"unicode/utf8"
)

// embedPassages embeds the passages of a reading where a model for that is configured, one that
// knows more than how names are written. A model that fails loses no passage: it is stored
// without an embedding, which a job makes later. The error is that of ctx.
func (a *attempt) embedPassages(ctx context.Context, r *reading) error {
	model := a.cfg.Embedder.Model()
	if model.NamesOnly || len(r.graph.Passages) == 0 {
		return nil
	}
	texts, chars := make([]string, len(r.graph.Passages)), 0
	for i, p := range r.graph.Passages {
		texts[i] = p.EmbeddingText()
		chars += utf8.RuneCountInString(texts[i])
	}
	vectors, err := a.cfg.Embedder.Embed(ctx, texts)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		a.cfg.Log.WarnContext(ctx, "passages are embedded later", "job", a.claim.JobID, "chunk", r.graph.Chunk.Number, "err", err)
	case len(vectors) != len(texts):
		a.cfg.Log.WarnContext(ctx, "passages are embedded later: the model returned another number of embeddings", "job", a.claim.JobID, "chunk", r.graph.Chunk.Number, "texts", len(texts), "embeddings", len(vectors))
	default:
		r.graph.Meanings = vectors
		if !model.Local {
			r.embeddingTokens += chars/charsPerToken + len(texts)
		}
	}
	return nil
}
