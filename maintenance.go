package kappa

import (
	"encoding/json"
	"strings"
)

// The job types that keep house.
const (
	TypeSourceEmbedding = "source_embedding"
	TypeArtifactCleanup = "artifact_cleanup"
)

// MaintenanceFigures say how much there is to be done; counts of rows end at 1,000.
type MaintenanceFigures struct {
	Types           int // active relationship types
	CustomTypes     int // that are not built in
	UnsortedTypes   int // without a category of their own
	UnembeddedTypes int
	UnmeasuredTypes int // added since the last measurement
	Concepts        int
	Unprojected     int // concepts that were added since the oldest projection that somebody has looked at within a week
	Unembedded      int // source chunks
	Ontologies      int
	Unannealed      int // epochs of the graph since the ontologies were last annealed
	Reading         int // ingestions that wait or run
}

// SourceToEmbed is a chunk that waits for its embedding.
type SourceToEmbed struct {
	ID       int
	SourceID string
	Text     string
}

// SourcePiece is a piece of a chunk with its embedding. Offsets count characters.
type SourcePiece struct {
	Source     SourceToEmbed
	Number     int // from 0
	Start, End int
	Embedding  Embedding
}

// maxPieceCharacters is how long a piece is that is embedded at once.
const maxPieceCharacters = 2000

// PiecesOf cuts a chunk at white space into pieces of up to 2,000 characters, which touch
// each other and have all of its text.
func PiecesOf(s SourceToEmbed) []SourcePiece {
	text := []rune(s.Text)
	var list []SourcePiece
	for start := 0; start < len(text); {
		end := min(len(text), start+maxPieceCharacters)
		if end < len(text) {
			if cut := strings.LastIndexAny(string(text[start:end]), " \n\t"); cut > 0 {
				end = start + len([]rune(string(text[start:end])[:cut+1]))
			}
		}
		list = append(list, SourcePiece{Source: s, Number: len(list), Start: start, End: end})
		start = end
	}
	return list
}

// Text returns what is embedded of p.
func (p SourcePiece) Text() string { return string([]rune(p.Source.Text)[p.Start:p.End]) }

// SourceSelection says which chunks are embedded.
type SourceSelection struct {
	SourceID string // "" is all
	Force    bool   // also those whose embedding is of the same text
	After    int    // the number of the last chunk that was done
}

// ArtifactFigures count the artifacts.
type ArtifactFigures struct {
	Total    int `json:"total_artifacts"`
	WithFile int `json:"garage_stored"`
	Inline   int `json:"inline_stored"`
	Expired  int `json:"currently_expired"`
}

// ExpiredArtifact is one that may be deleted.
type ExpiredArtifact struct {
	ID      int
	HasFile bool
}

// MaintenanceSchedules returns the schedules that a server makes by itself, once.
func MaintenanceSchedules() []NewSchedule {
	return []NewSchedule{
		{Name: "category refresh", JobType: TypeVocabRefresh, Cron: "0 */6 * * *", Condition: "types_unsorted"},
		{Name: "vocabulary consolidation", JobType: TypeVocabConsolidate, Cron: "0 */12 * * *", Condition: "vocabulary_large"},
		{Name: "epistemic re-measurement", JobType: TypeRemeasurement, Cron: "5 * * * *", Condition: "vocabulary_changed"},
		{Name: "vocabulary embedding", JobType: TypeVocabEmbedding, Cron: "10 * * * *", Condition: "types_unembedded"},
		{Name: "projection refresh", JobType: TypeProjection, Cron: "15 * * * *", Condition: "concepts_changed", Data: json.RawMessage(`{"only_looked_at": true}`)},
		{Name: "source embedding", JobType: TypeSourceEmbedding, Cron: "25 * * * *", Condition: "sources_unembedded"},
		{Name: "ontology annealing", JobType: TypeAnnealing, Cron: "30 */6 * * *", Condition: "ontologies_changed"},
		{Name: "artifact cleanup", JobType: TypeArtifactCleanup, Cron: "0 2 * * *"},
	}
}
