package ingest

import (
	"encoding/json"
	"slices"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

// checkpoint is what an attempt stores with each chunk, so that the next attempt
// resumes after it.
type checkpoint struct {
	LastChunk        int           `json:"last_chunk"` // number of the last stored chunk; 0 before the first
	EndByte          int           `json:"end_byte"`   // where that chunk ends in the document
	ChunksTotal      int           `json:"chunks_total"`
	Counts           corpus.Counts `json:"counts"`
	ExtractionTokens int           `json:"extraction_tokens"`
	EmbeddingTokens  int           `json:"embedding_tokens"`
	Dropped          int           `json:"dropped,omitempty"` // of what was extracted; see knowledge.Extraction
	ChunksReused     int           `json:"chunks_reused,omitempty"`
	Gaps             []chunkGap    `json:"gaps,omitempty"`
	Passages         int           `json:"passages,omitempty"`

	byTerms
}

// readCheckpoint returns how far the last attempt came. A checkpoint that cannot be
// read counts as none: storing a chunk again changes nothing.
func readCheckpoint(stored json.RawMessage) checkpoint {
	var c checkpoint
	if len(stored) == 0 || json.Unmarshal(stored, &c) != nil {
		return checkpoint{}
	}
	return c
}

// after returns the checkpoint for when r, which added counts, is stored.
func (c checkpoint) after(r reading, counts corpus.Counts) checkpoint {
	c.LastChunk = r.graph.Chunk.Number
	c.EndByte = r.graph.Chunk.Bytes.End
	c.Counts = c.Counts.Add(counts)
	c.ExtractionTokens += r.extractionTokens
	c.EmbeddingTokens += r.embeddingTokens
	c.Dropped += r.dropped
	c.Passages += len(r.graph.Passages)
	if r.reused {
		c.ChunksReused++
	}
	c.byTerms = c.with(r.hints)
	if r.failure != nil && len(c.Gaps) < mostGaps {
		c.Gaps = append(slices.Clip(c.Gaps), gapOf(r))
	}
	return c
}

// The stages of an ingestion.
const (
	stageReading    = "reading"
	stageExtracting = "extracting"
	stageCompleted  = "completed"
)

// progress is what a watcher sees at this checkpoint.
func (c checkpoint) progress() work.Progress {
	counts := work.IngestionProgress{
		ChunksTotal: c.ChunksTotal, ChunksProcessed: c.LastChunk, CurrentChunk: c.LastChunk, Counts: c.Counts,
	}
	p := work.Progress{
		Stage: stageExtracting, Percent: work.PercentDone(c.LastChunk, c.ChunksTotal), Counters: counts.Counters(),
	}
	if c.LastChunk == c.ChunksTotal {
		p.Stage = stageCompleted
	}
	return p
}

// encode returns c in the form of the store; emit has it write a progress event.
func (c checkpoint) encode(emit bool) work.Checkpoint {
	state, _ := json.Marshal(c) //nolint:errchkjson // numbers and valid texts only: cannot fail
	return work.Checkpoint{State: state, Progress: c.progress(), Emit: emit}
}
