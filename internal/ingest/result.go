package ingest

import (
	"encoding/json"
	"fmt"

	"github.com/kappagraph/kappa"
)

// result is what an ingestion that completed reports.
type result struct {
	Status          string  `json:"status"`
	Message         string  `json:"message,omitempty"`
	Stats           stats   `json:"stats"`
	Cost            *cost   `json:"cost,omitempty"`
	Ontology        *string `json:"ontology,omitempty"`
	Filename        *string `json:"filename,omitempty"`
	ChunksProcessed *int    `json:"chunks_processed,omitempty"`
	ChunksTotal     *int    `json:"chunks_total,omitempty"` // of one that was cancelled
}

// stats counts each chunk once, also after a resume.
type stats struct {
	ChunksProcessed         int `json:"chunks_processed"`
	SourceEmbeddingsCreated int `json:"source_embeddings_created"`
	kappa.Counts
	ExtractionTokens int `json:"extraction_tokens"`
	EmbeddingTokens  int `json:"embedding_tokens"`
}

// cost is what was spent, as dollars for people: $0.01.
type cost struct {
	Extraction      string `json:"extraction"`
	Embeddings      string `json:"embeddings"`
	Total           string `json:"total"`
	ExtractionModel string `json:"extraction_model"`
	EmbeddingModel  string `json:"embedding_model"`
}

func (c checkpoint) stats() stats {
	return stats{
		ChunksProcessed:  c.LastChunk,
		Counts:           c.Counts,
		ExtractionTokens: c.ExtractionTokens,
		EmbeddingTokens:  c.EmbeddingTokens,
	}
}

// completed is the result of a document whose chunks are all stored.
func (a *attempt) completed() (json.RawMessage, error) {
	if a.total == 0 {
		return encodeResult(result{Status: string(kappa.StatusCompleted), Message: "No chunks to process"})
	}
	reader, embedder := a.cfg.Extractor.Model(), a.cfg.Embedder.Model()
	read, embed := reader.Cost(a.stored.ExtractionTokens), embedder.Cost(a.stored.EmbeddingTokens)
	return encodeResult(result{
		Status: string(kappa.StatusCompleted),
		Stats:  a.stored.stats(),
		Cost: &cost{
			Extraction:      dollars(read),
			Embeddings:      dollars(embed),
			Total:           dollars(read + embed),
			ExtractionModel: reader.Name,
			EmbeddingModel:  embedder.Name,
		},
		Ontology:        &a.document.Ontology,
		Filename:        &a.document.Filename,
		ChunksProcessed: &a.stored.LastChunk,
	})
}

// cancelled is the result of a document that was stopped on the way.
func (a *attempt) cancelled() (json.RawMessage, error) {
	return encodeResult(result{
		Status:          string(kappa.StatusCancelled),
		Stats:           a.stored.stats(),
		ChunksProcessed: &a.stored.LastChunk,
		ChunksTotal:     &a.stored.ChunksTotal,
	})
}

func encodeResult(r result) (json.RawMessage, error) {
	encoded, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	return encoded, nil
}

func dollars(amount float64) string { return fmt.Sprintf("$%.2f", amount) }
