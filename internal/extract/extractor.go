package extract

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/extract/english"
)

// Extractor reads passages: it finds the concepts that a reader would name, the
// quotes that show them and the relationships that the text states.
type Extractor interface {
	// Extract reads one passage. A passage without anything to name gives an empty
	// extraction. The errors are that of ctx, and what the reader's own words say of a
	// model that does not answer.
	Extract(ctx context.Context, p kappa.Passage) (kappa.Extraction, error)
	// Model describes the reader: its name, its price, and whether it is in this
	// process.
	Model() kappa.Model
}

// Builtin returns the extractor that needs no model, key or network: the rules for
// English, for passages of any length. It fails only when the part-of-speech model that
// is linked into the program is broken.
func Builtin() (Extractor, error) {
	reader, err := english.New()
	if err != nil {
		return nil, err
	}
	return InPieces(reader, maxPieceBytes), nil
}

// BuiltinEmbedder returns the embedder that goes with Builtin.
func BuiltinEmbedder() kappa.Embedder { return english.NewEmbedder() }
