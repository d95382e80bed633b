package corpus

import (
	"strings"

	"github.com/kappagraph/kappa/corpus/models"
)

// The job types that keep house.
const (
	TypeSourceEmbedding = "source_embedding"
)

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
	Embedding  models.Embedding
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
