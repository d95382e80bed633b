package extract

import (
	"context"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/extract/english"
	"github.com/kappagraph/kappa/knowledge"
)

// Extractor reads passages: it finds the concepts that a reader would name, the
// quotes that show them and the relationships that the text states.
type Extractor interface {
	// Extract reads one passage. A passage without anything to name gives an empty
	// extraction. The errors are that of ctx, and what the reader's own words say of a
	// model that does not answer.
	Extract(ctx context.Context, p knowledge.Passage) (knowledge.Extraction, error)
	// Model describes the reader: its name, its price, and whether it is in this
	// process.
	Model() models.Model
}

// Outliner is an Extractor that reads passages better when it knows their document.
type Outliner interface {
	// Outline reads a whole document once. The same text gives the same outline.
	Outline(text string, ct corpus.ContentType) *knowledge.Outline
	// Narrow returns what of an outline matters to a passage of its document: who reads
	// the passage with that finds the same as with the whole outline.
	Narrow(o *knowledge.Outline, p knowledge.Passage) *knowledge.Outline
}

// Reader is an Extractor that makes outlines.
type Reader interface {
	Extractor
	Outliner
}

// Builtin returns the extractor that needs no model, key or network: the rules for
// English, and key terms in any other language, for passages of any length and with parts in
// several languages. It fails only
// when the part-of-speech model that is linked into the program is broken.
func Builtin() (Reader, error) {
	reader, err := english.New()
	if err != nil {
		return nil, err
	}
	return languages{&pieces{reader: byLanguage{reader}, limit: maxPieceBytes}}, nil
}

// BuiltinEmbedder returns the embedder that goes with Builtin.
func BuiltinEmbedder() models.Embedder { return english.NewEmbedder() }
