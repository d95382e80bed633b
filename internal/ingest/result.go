package ingest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/work"
)

// result is what an ingestion that completed reports.
type result struct {
	Status   string  `json:"status"`
	Message  string  `json:"message,omitempty"`
	Stats    stats   `json:"stats"`
	Cost     *cost   `json:"cost,omitempty"`
	Ontology *string `json:"ontology,omitempty"`
	Language string  `json:"language,omitempty"` // of the document, by its name in English
	NotDone  string  `json:"not_done,omitempty"` // what a reader for its language would have done
	// Warnings are what could not be read of the document, or was not certain.
	Warnings        []string `json:"warnings,omitempty"`
	Filename        *string  `json:"filename,omitempty"`
	ChunksProcessed *int     `json:"chunks_processed,omitempty"`
	ChunksTotal     *int     `json:"chunks_total,omitempty"`  // of one that was cancelled
	ChunksReused    int      `json:"chunks_reused,omitempty"` // that had been read before
	// Replaced are the earlier versions that went when this one was stored.
	Replaced []string `json:"documents_replaced,omitempty"`
	// SupersededBy is the job that has ingested a later version, for which this one was not stored.
	SupersededBy string `json:"superseded_by,omitempty"`
	// WithGaps says that chunks could not be read; see kg jobs retry --gaps.
	WithGaps bool       `json:"completed_with_gaps,omitempty"`
	Gaps     []chunkGap `json:"gaps,omitempty"`
}

// stats counts each chunk once, also after a resume.
type stats struct {
	ChunksProcessed         int `json:"chunks_processed"`
	SourceEmbeddingsCreated int `json:"source_embeddings_created"`
	corpus.Counts
	PassagesStored   int `json:"passages_stored,omitempty"`
	ExtractionTokens int `json:"extraction_tokens"`
	EmbeddingTokens  int `json:"embedding_tokens"`
	// Dropped counts quotes, relationships and concepts that an extractor named and the
	// text does not bear out.
	Dropped int `json:"candidates_dropped,omitempty"`
}

// cost is what was spent, as dollars for people: $0.01.
type cost struct {
	Extraction      string `json:"extraction"`
	Embeddings      string `json:"embeddings"`
	Total           string `json:"total"`
	ExtractionModel string `json:"extraction_model"`
	EmbeddingModel  string `json:"embedding_model"`
	// What the calls to models took, over all attempts, those that failed included.
	TotalUSD float64 `json:"total_usd,omitempty"`
	Calls    int     `json:"model_calls,omitempty"`
	Seconds  float64 `json:"model_seconds,omitempty"`
}

func (c checkpoint) stats() stats {
	return stats{
		ChunksProcessed:  c.LastChunk,
		Counts:           c.Counts,
		PassagesStored:   c.Passages,
		ExtractionTokens: c.ExtractionTokens,
		EmbeddingTokens:  c.EmbeddingTokens,
		Dropped:          c.Dropped,
	}
}

// completed is the result of a document whose chunks are all stored.
func (a *attempt) completed(ctx context.Context) (json.RawMessage, error) {
	message := a.stored.notDone(a.total)
	switch {
	case a.total == 0:
		return encodeResult(result{Status: string(work.StatusCompleted), Message: "No chunks to process"})
	case len(a.stored.Gaps) > 0:
		message = fmt.Sprintf("%d of %d chunks could not be read; kg jobs retry --gaps reads them again", len(a.stored.Gaps), a.total)
	case a.stored.Counts.ConceptsCreated+a.stored.Counts.ConceptsLinked == 0:
		message = strings.TrimPrefix(message+". "+a.nothingFound(), ". ")
	}
	cost, err := a.cost(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.learn(ctx); err != nil {
		return nil, err
	}
	return encodeResult(result{
		Status:          string(work.StatusCompleted),
		Message:         message,
		Stats:           a.stored.stats(),
		Cost:            cost,
		Ontology:        &a.document.Ontology,
		Filename:        &a.document.Filename,
		Language:        cmp.Or(a.language.Name, corpus.LanguageName(a.language.Likely)),
		NotDone:         a.stored.notDone(a.total),
		Warnings:        a.text.Warnings,
		ChunksProcessed: &a.stored.LastChunk,
		ChunksReused:    a.stored.ChunksReused,
		Replaced:        a.replaced,
		WithGaps:        len(a.stored.Gaps) > 0,
		Gaps:            a.stored.Gaps,
	})
}

// superseded is the result of a document of which a later version stands: nothing of this one does.
func superseded(later *corpus.SupersededError) (json.RawMessage, error) {
	return encodeResult(result{
		Status: string(work.StatusCompleted), SupersededBy: later.JobID,
		Message: "Nothing was stored: job " + later.JobID + " has ingested a later version of the document, which stands",
	})
}

// cancelled is the result of a document that was stopped on the way.
func (a *attempt) cancelled(ctx context.Context) (json.RawMessage, error) {
	var spent *cost
	if a.cfg.Spending != nil {
		spent, _ = a.cost(ctx) // without it the result says less
	}
	return encodeResult(result{
		Status:          string(work.StatusCancelled),
		Stats:           a.stored.stats(),
		Cost:            spent,
		ChunksProcessed: &a.stored.LastChunk,
		ChunksTotal:     &a.stored.ChunksTotal,
	})
}

// cost returns what the job has cost so far: what its calls to models used, or else what
// the stored chunks did.
func (a *attempt) cost(ctx context.Context) (*cost, error) {
	reader, embedder := a.cfg.Extractor.Model(), a.cfg.Embedder.Model()
	s := models.Spending{ExtractionCost: reader.Cost(a.stored.ExtractionTokens), EmbeddingCost: embedder.Cost(a.stored.EmbeddingTokens)}
	if a.cfg.Spending != nil && !(reader.Local && embedder.Local) {
		var err error
		if s, err = a.cfg.Spending.Spent(ctx, a.claim.JobID); err != nil {
			return nil, fmt.Errorf("read what the job has cost: %w", err)
		}
	}
	c := &cost{
		Extraction:      kappa.Dollars(s.ExtractionCost),
		Embeddings:      kappa.Dollars(s.EmbeddingCost),
		Total:           kappa.Dollars(s.Cost()),
		ExtractionModel: reader.Name,
		EmbeddingModel:  embedder.Name,
	}
	if s.Calls > 0 {
		c.TotalUSD, c.Calls, c.Seconds = s.Cost(), s.Calls, s.Seconds
	}
	return c, nil
}

// learn keeps what the document took.
func (a *attempt) learn(ctx context.Context) error {
	if a.cfg.Learn == nil {
		return nil
	}
	l := corpus.Learnt{JobID: a.claim.JobID, Model: a.cfg.Extractor.Model().Name, Concepts: a.stored.Counts.ConceptsCreated + a.stored.Counts.ConceptsLinked}
	for chunk := range Chunks(a.text.Text, a.text.Markup, a.options) {
		l.Chunks++
		l.Words += chunk.Words
	}
	return a.cfg.Learn(ctx, l)
}

func encodeResult(r result) (json.RawMessage, error) {
	encoded, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	return encoded, nil
}
