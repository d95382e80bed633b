package corpus

import (
	"fmt"
	"math"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
)

// Sizing is what an estimate is made from: a document as it is cut.
type Sizing struct {
	Chunks       int
	Words        int // of all chunks, so that an overlap counts twice
	TextTokens   int // of all chunks
	PromptTokens int // that are sent with each chunk besides its text
	// Read is what the first chunks hold; zero: nobody has read them.
	Read Reading
}

// Reading is what some chunks hold.
type Reading struct {
	Chunks   int
	Words    int // of these chunks
	Concepts int // that they name, each chunk counted by itself
}

// ErrorBand says how much a model's jobs have taken: from the tenth to the ninetieth
// percentile of the last fifty, or what is assumed of one that has none.
type ErrorBand struct {
	Jobs                  int     // that it was learnt from; 0: it is assumed
	InputLow, InputHigh   float64 // tokens sent, by those that were counted
	OutputLow, OutputHigh float64 // tokens answered, by those of the text
	// Concepts of a chunk of a thousand words; see ConceptsScale.
	ConceptsLow, ConceptsHigh float64
}

const (
	// ConceptsScale is the power of a chunk's length by which its concepts grow: twice as
	// long a chunk names a third more.
	ConceptsScale = 0.45
	// leastLearnt is how many jobs it takes to learn from.
	leastLearnt = 3
)

// AssumedBand is the band of a model that has read nothing yet. The built-in extractor
// names 22 to 44 concepts in a chunk of a thousand words, which is from the tenth to the
// ninetieth percentile of this documentation; models about 5 to 15.
func AssumedBand(m models.Model) ErrorBand {
	if m.Local {
		return ErrorBand{InputLow: 1, InputHigh: 1, ConceptsLow: 22, ConceptsHigh: 44}
	}
	return ErrorBand{InputLow: 1, InputHigh: 1.2, OutputLow: 0.4, OutputHigh: 1.6, ConceptsLow: 5, ConceptsHigh: 15}
}

// Over returns b where it was learnt from enough jobs, and else the assumed band.
func (b ErrorBand) Over(assumed ErrorBand) ErrorBand {
	if b.Jobs < leastLearnt {
		return assumed
	}
	if b.InputHigh == 0 { // of jobs whose analysis counted no tokens
		b.InputLow, b.InputHigh, b.OutputLow, b.OutputHigh = assumed.InputLow, assumed.InputHigh, assumed.OutputLow, assumed.OutputHigh
	}
	return b
}

// With adds words that are not there yet, in chunks of their own.
func (s Sizing) With(words int, o ChunkOptions) Sizing {
	if words == 0 {
		return s
	}
	target := max(o.TargetWords, 1)
	s.Chunks += (words + target - 1) / target
	s.Words += words
	if s.PromptTokens > 0 || s.TextTokens > 0 { // they are counted
		s.TextTokens += int(tokensPerWord * float64(words))
	}
	return s
}

// Estimate prices the ingestion of a document that reader reads within band, and whose
// concepts embedder embeds. A model in the server charges no tokens.
func (s Sizing) Estimate(reader, embedder models.Model, band ErrorBand) CostEstimate {
	e := CostEstimate{
		Extraction: ExtractionCost{Model: reader.Name, Basis: "assumed", CostRange: CostRange{Currency: "USD"}},
		Embeddings: EmbeddingCost{Model: embedder.Name, CostRange: CostRange{Currency: "USD"}},
	}
	if band.Jobs > 0 {
		e.Extraction.Basis = fmt.Sprintf("learnt from %d jobs", band.Jobs)
	}
	if !reader.Local {
		e.Extraction.TextTokens, e.Extraction.PromptTokens = s.TextTokens, s.PromptTokens
		at := func(input, output float64) (tokens int, dollars float64) {
			u := models.TokenUsage{
				Input:  int(math.Ceil(float64(s.TextTokens+s.Chunks*s.PromptTokens) * input)),
				Output: int(math.Ceil(float64(s.TextTokens) * output)),
			}
			return u.Total(), reader.CostOf(u)
		}
		e.Extraction.TokensLow, e.Extraction.CostLow = at(band.InputLow, band.OutputLow)
		e.Extraction.TokensHigh, e.Extraction.CostHigh = at(band.InputHigh, band.OutputHigh)
	}
	e.Embeddings.ConceptsLow, e.Embeddings.ConceptsHigh = s.concepts(band)
	if !embedder.Local {
		// The passages are embedded too: the text without what chunks share, with headings.
		text := s.textTokens()
		e.Embeddings.TokensLow = e.Embeddings.ConceptsLow*tokensPerConcept + int(passageTokensLow*text)
		e.Embeddings.TokensHigh = e.Embeddings.ConceptsHigh*tokensPerConcept + int(math.Ceil(passageTokensHigh*text))
		e.Embeddings.CostLow = embedder.CostOf(models.TokenUsage{Input: e.Embeddings.TokensLow})
		e.Embeddings.CostHigh = embedder.CostOf(models.TokenUsage{Input: e.Embeddings.TokensHigh})
	}
	e.Total = CostRange{CostLow: kappa.RoundMoney(e.Extraction.CostLow + e.Embeddings.CostLow), CostHigh: kappa.RoundMoney(e.Extraction.CostHigh + e.Embeddings.CostHigh), Currency: "USD"}
	for _, r := range []*CostRange{&e.Extraction.CostRange, &e.Embeddings.CostRange} {
		r.CostLow, r.CostHigh = kappa.RoundMoney(r.CostLow), kappa.RoundMoney(r.CostHigh)
	}
	return e
}

// How many tokens the passages of a document have, as shares of those of its chunks, and about
// how many a word has where nobody has counted them.
const (
	passageTokensLow  = 0.8
	passageTokensHigh = 1.2
	tokensPerWord     = 1.35
)

// textTokens returns about how many tokens the text has.
func (s Sizing) textTokens() float64 {
	if s.TextTokens > 0 {
		return float64(s.TextTokens)
	}
	return tokensPerWord * float64(s.Words)
}

// How much of what chunks are read to name an ingestion counts: some of a chunk's names are
// one concept. What the chunks hold that nobody has read is known by those that were; they
// are the first ones, and the others may hold more or less.
const (
	namedLow = 0.95
	restLow  = 0.7
	restHigh = 1.25
)

// concepts returns how many concepts the chunks name, each counted by itself, from low to
// high: by what was read of them, and else by what jobs have taken.
func (s Sizing) concepts(band ErrorBand) (low, high int) {
	switch {
	case s.Chunks == 0:
		return 0, 0
	case s.Read.Words == 0:
		scale := float64(s.Chunks) * math.Pow(float64(s.Words)/float64(s.Chunks)/1000, ConceptsScale)
		return int(math.Floor(scale * band.ConceptsLow)), int(math.Ceil(scale * band.ConceptsHigh))
	}
	read := float64(s.Read.Concepts)
	rest := read * float64(s.Words-s.Read.Words) / float64(s.Read.Words)
	return int(math.Floor(read*namedLow + rest*restLow)), int(math.Ceil(read + rest*restHigh))
}

// Preview is what an ingestion by the built-in extractor would find, by reading the first
// chunks without storing anything.
type Preview struct {
	ChunksRead      int     `json:"chunks_read"`
	ConceptsNew     int     `json:"concepts_new"`
	ConceptsMatched int     `json:"concepts_matched"` // by name, with what is in the graph now
	Read            Reading `json:"-"`                // what the estimate is made from
}

// Learnt is what an ingestion took, for later estimates.
type Learnt struct {
	JobID    string
	Model    string
	Chunks   int
	Words    int
	Concepts int // that were read, new or known
}
