package corpus

import (
	"strings"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus/models"
)

// TypePassageEmbedding is the job type that embeds the passages that have no embedding.
const TypePassageEmbedding = "passage_embedding"

// mostEmbedded bounds what is embedded of a passage, in bytes: models read no more, or refuse it.
const mostEmbedded = 6000

// EmbeddingText returns the text of a passage that is embedded: the headings above it, which say
// what it is about, and what it says itself, up to 6,000 bytes in all.
func (p Passage) EmbeddingText() string {
	text := p.Text
	if p.Section != "" {
		text = strings.ReplaceAll(p.Section, SectionSeparator, ". ") + "\n" + text
	}
	if len(text) <= mostEmbedded {
		return text
	}
	end := mostEmbedded
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// PassageToEmbed is a passage that waits for its embedding.
type PassageToEmbed struct {
	ID   int32
	Text string
}

// SignedPassage is a passage with the signature of its embedding by a model.
type SignedPassage struct {
	ID, Source int32
	Signature  models.Signature
}
