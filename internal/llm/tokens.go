package llm

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// openAIVocabulary is that of OpenAI's newer models, which is part of the program; those of the
// older ones, which the tokenizer would bring along, are not. It is loaded when first needed,
// which takes a tenth of a second and some megabytes.
var openAIVocabulary = sync.OnceValue(codec.NewO200kBase)

const (
	// pieceOfCount is how much text is counted at a time: the tokenizer keeps all tokens of
	// what it is given.
	pieceOfCount = 64 << 10
	// longestRun is where a run without white space is cut before it is counted: the tokenizer
	// joins the bytes of one in a time that grows faster than its length.
	longestRun = 512
	// mostCounted is how much of a text is counted. Of a longer one so much is, in pieces from
	// all over it, and the rest is taken to be like them: a count takes a second for each
	// megabyte.
	mostCounted = 1 << 20
)

// CountTokens returns how many tokens a text is. It is exact for OpenAI's models, up to
// some tokens where a long text is cut, and near for others, of which nobody outside
// knows the vocabulary; what is left is learnt from jobs, see corpus.ErrorBand. Of a text
// above a megabyte it counts a megabyte, in pieces from beginning to end.
func CountTokens(text string) int {
	if len(text) <= mostCounted {
		return countAll(text)
	}
	const pieces = mostCounted / pieceOfCount
	tokens, bytes := 0, 0
	for i := range pieces {
		from := wholeRune(text, (len(text)-pieceOfCount)/(pieces-1)*i)
		piece := text[from:wholeRune(text, from+pieceOfCount)]
		tokens += countAll(piece)
		bytes += len(piece)
	}
	return int(float64(tokens) * float64(len(text)) / float64(bytes))
}

// wholeRune returns the first place from one on at which a character begins.
func wholeRune(text string, at int) int {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return min(at, len(text))
}

// countAll counts the tokens of a whole text.
func countAll(text string) int {
	vocabulary := openAIVocabulary()
	n := 0
	for len(text) > 0 {
		end := pieceEnd(text)
		n += countPiece(vocabulary, text[:end])
		text = text[end:]
	}
	return n
}

// pieceEnd is where the piece ends that is counted next: before a run that is too long, within
// one that begins the text, or after pieceOfCount bytes.
func pieceEnd(text string) int {
	most := min(len(text), pieceOfCount)
	run := 0 // where it begins
	for i := range most {
		if strings.IndexByte(" \n\t\r", text[i]) >= 0 {
			run = i + 1
			continue
		}
		if i-run < longestRun {
			continue
		}
		if run > 0 {
			return run
		}
		return wholeRune(text, i)
	}
	return wholeRune(text, most)
}

// countPiece counts the tokens of a piece, or estimates them where it cannot.
func countPiece(vocabulary *codec.Codec, text string) int {
	if n, err := vocabulary.Count(text); err == nil {
		return n
	}
	return len(text) / 4
}
