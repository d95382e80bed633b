package llm

import (
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

// vocabulary is that of OpenAI's newer models, which is part of the program. It is loaded
// when first needed, which takes a tenth of a second and some megabytes.
var vocabulary = sync.OnceValue(func() tokenizer.Codec {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return nil
	}
	return codec
})

// pieceOfCount is how much text is counted at a time: the tokenizer keeps all tokens of
// what it is given.
const pieceOfCount = 64 << 10

// CountTokens returns how many tokens a text is. It is exact for OpenAI's models, up to
// some tokens where a long text is cut, and near for others, of which nobody outside
// knows the vocabulary; what is left is learnt from jobs, see kappa.ErrorBand.
func CountTokens(text string) int {
	codec := vocabulary()
	n := 0
	for len(text) > 0 {
		end := min(len(text), pieceOfCount)
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		n += countPiece(codec, text[:end])
		text = text[end:]
	}
	return n
}

// countPiece counts the tokens of a piece, or estimates them where it cannot.
func countPiece(codec tokenizer.Codec, text string) int {
	if codec != nil {
		if n, err := codec.Count(text); err == nil {
			return n
		}
	}
	return len(text) / 4
}
