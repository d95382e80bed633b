package kappa

import (
	"fmt"
	"math"
)

// Analysis is what Kappa says about a document before anything is spent.
type Analysis struct {
	FileStats  FileStats      `json:"file_stats"`
	Cost       CostEstimate   `json:"cost_estimate"`
	Config     AnalysisConfig `json:"config"`
	Warnings   []string       `json:"warnings"`
	AnalyzedAt Time           `json:"analyzed_at"`
}

// FileStats are the size of a document.
type FileStats struct {
	Filename        string `json:"filename"`
	SizeBytes       int    `json:"size_bytes"`
	SizeHuman       string `json:"size_human"` // 512 B, 1.5 KB, 2.0 MB
	WordCount       int    `json:"word_count"`
	EstimatedChunks int    `json:"estimated_chunks"`
}

// CostEstimate is the price of an ingestion, from low to high, in US dollars.
type CostEstimate struct {
	Extraction ExtractionCost `json:"extraction"`
	Embeddings EmbeddingCost  `json:"embeddings"`
	Total      CostRange      `json:"total"`
}

// CostRange is a price from low to high.
type CostRange struct {
	CostLow  float64 `json:"cost_low"`
	CostHigh float64 `json:"cost_high"`
	Currency string  `json:"currency"`
}

// ExtractionCost is the price of reading the chunks.
type ExtractionCost struct {
	Model      string `json:"model"`
	TokensLow  int    `json:"tokens_low"`
	TokensHigh int    `json:"tokens_high"`
	CostRange
}

// EmbeddingCost is the price of embedding the concepts.
type EmbeddingCost struct {
	Model        string `json:"model"`
	ConceptsLow  int    `json:"concepts_low"`
	ConceptsHigh int    `json:"concepts_high"`
	TokensLow    int    `json:"tokens_low"`
	TokensHigh   int    `json:"tokens_high"`
	CostRange
}

// AnalysisConfig is how the document will be processed.
type AnalysisConfig struct {
	ChunkOptions
	CheckpointInterval int `json:"checkpoint_interval"` // in chunks
}

// The figures behind an estimate.
const (
	tokensPerWord         = 1.3  // English prose
	highTokenFactor       = 1.6  // prose with code, tables, names
	promptTokensPerChunk  = 500  // instructions and known concepts
	conceptsPerChunkLow   = 5    // what an extractor finds in a chunk
	conceptsPerChunkHigh  = 8    //
	tokensPerConcept      = 8    // label, description, search terms
	wordsPerChunkShare    = 0.9  // a chunk ends a little before its target
	largeDocumentBytes    = 1e6  //
	smallDocumentWords    = 100  //
	secondsPerChunkLow    = 2    // a model's answer
	secondsPerChunkHigh   = 5    //
	localChunksPerSecond  = 20.0 // the built-in extractor, on a slow core
	CheckpointEveryChunks = 1
)

// EstimateChunks returns how many chunks a document of so many words gives.
func EstimateChunks(words, targetWords int) int {
	if words == 0 {
		return 0
	}
	return max(1, int(float64(words)/(float64(targetWords)*wordsPerChunkShare)))
}

// Estimate prices the ingestion of a document that reader reads and embedder embeds
// the concepts of.
func Estimate(words int, o ChunkOptions, reader, embedder Model) CostEstimate {
	chunks := EstimateChunks(words, o.TargetWords)
	base := float64(words) * tokensPerWord
	low := int(math.Ceil(base)) + chunks*promptTokensPerChunk
	high := int(math.Ceil(highTokenFactor*base)) + chunks*promptTokensPerChunk
	conceptsLow, conceptsHigh := chunks*conceptsPerChunkLow, chunks*conceptsPerChunkHigh
	read := reader.costRange(low, high)
	embed := embedder.costRange(conceptsLow*tokensPerConcept, conceptsHigh*tokensPerConcept)
	return CostEstimate{
		Extraction: ExtractionCost{Model: reader.Name, TokensLow: low, TokensHigh: high, CostRange: read},
		Embeddings: EmbeddingCost{
			Model: embedder.Name, ConceptsLow: conceptsLow, ConceptsHigh: conceptsHigh,
			TokensLow: conceptsLow * tokensPerConcept, TokensHigh: conceptsHigh * tokensPerConcept, CostRange: embed,
		},
		Total: CostRange{CostLow: cents(read.CostLow + embed.CostLow), CostHigh: cents(read.CostHigh + embed.CostHigh), Currency: read.Currency},
	}
}

func (m Model) costRange(low, high int) CostRange {
	return CostRange{CostLow: m.Cost(low), CostHigh: m.Cost(high), Currency: "USD"}
}

// Warnings says what a submitter should know before approving a document that
// reader reads.
func (f FileStats) Warnings(reader Model, overlapReduced bool, o ChunkOptions) []string {
	warnings := []string{}
	if f.SizeBytes > largeDocumentBytes {
		if reader.Local {
			warnings = append(warnings, fmt.Sprintf("Large file - estimated processing time: about %d seconds", 1+int(float64(f.EstimatedChunks)/localChunksPerSecond)))
		} else {
			warnings = append(warnings, fmt.Sprintf("Large file - estimated processing time: %d-%d minutes",
				f.EstimatedChunks*secondsPerChunkLow/60, 1+f.EstimatedChunks*secondsPerChunkHigh/60))
		}
	}
	if f.WordCount < smallDocumentWords {
		warnings = append(warnings, "Very small file - may produce minimal concepts")
	}
	if overlapReduced {
		warnings = append(warnings, fmt.Sprintf("Overlap reduced to %d words, half of min_words (%d)", o.OverlapWords, o.MinWords))
	}
	return warnings
}

// HumanSize shows a number of bytes as 512 B, 1.5 KB or 2.0 MB.
func HumanSize(bytes int) string {
	switch {
	case bytes < 1024:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1024*1024:
		return fmt.Sprintf("%.1f KB", float64(bytes)/1024)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1024/1024)
}
