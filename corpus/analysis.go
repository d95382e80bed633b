package corpus

import (
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
)

// Analysis is what Kappa says about a document before anything is spent.
type Analysis struct {
	FileStats      FileStats      `json:"file_stats,omitzero"`    // of a text
	Cost           CostEstimate   `json:"cost_estimate,omitzero"` // of a text
	Config         AnalysisConfig `json:"config,omitzero"`
	*ImageAnalysis                // of an image; nil for a text
	Preview        *Preview       `json:"preview,omitempty"` // only with the built-in extractor
	Version        *VersionNote   `json:"version,omitempty"` // of a document that there can be versions of
	Warnings       []string       `json:"warnings"`
	AnalyzedAt     kappa.Time     `json:"analyzed_at"`
}

// ImageAnalysis is what is said about an image before a model describes it.
type ImageAnalysis struct {
	ContentType          string  `json:"content_type,omitempty"` // image
	Chunks               int     `json:"chunks,omitempty"`
	EstimatedTokens      int     `json:"estimated_tokens,omitempty"`
	EstimatedCost        float64 `json:"estimated_cost,omitempty"` // US dollars
	EstimatedTimeSeconds int     `json:"estimated_time_seconds,omitempty"`
}

// EstimateImage estimates what it takes to have an image described.
func EstimateImage() *ImageAnalysis {
	return &ImageAnalysis{ContentType: "image", Chunks: 1, EstimatedTokens: 2000, EstimatedCost: 0.02, EstimatedTimeSeconds: 10}
}

// FileStats are the size of a document.
type FileStats struct {
	Filename        string `json:"filename"`
	SizeBytes       int    `json:"size_bytes"`
	SizeHuman       string `json:"size_human"` // 512 B, 1.5 KB, 2.0 MB
	WordCount       int    `json:"word_count"`
	EstimatedChunks int    `json:"estimated_chunks"` // as Chunks, under the name that existing clients read
	// Chunks is how many the ingestion will cut; 0 in analyses of before it was counted.
	Chunks int `json:"chunks,omitempty" doc:"Into which the ingestion will cut the document"`
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
	// TextTokens are those of all chunks, overlap included; PromptTokens are sent with
	// each besides. A model in the server has none.
	TextTokens   int    `json:"text_tokens,omitempty"`
	PromptTokens int    `json:"prompt_tokens,omitempty"`
	Basis        string `json:"basis"` // where the range comes from
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
	tokensPerConcept      = 20   // label, description, search terms
	largeDocumentBytes    = 1e6  //
	smallDocumentWords    = 100  //
	secondsPerChunkLow    = 2    // a model's answer
	secondsPerChunkHigh   = 5    //
	localChunksPerSecond  = 20.0 // the built-in extractor, on a slow core
	CheckpointEveryChunks = 1
)

// ChunkCount returns how many chunks the ingestion will cut, or about so many in analyses
// of before that was counted.
func (f FileStats) ChunkCount() int {
	if f.Chunks > 0 {
		return f.Chunks
	}
	return f.EstimatedChunks
}

// Warnings says what a submitter should know before approving a document that
// reader reads.
func (f FileStats) Warnings(reader models.Model, overlapReduced bool, o ChunkOptions) []string {
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
