package corpus

import (
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// The defaults and ranges of chunking, in words. A word is a maximal run of
// characters that are not white space.
const (
	DefaultTargetWords  = 1000
	MinTargetWords      = 100
	MaxTargetWords      = 5000
	DefaultOverlapWords = 200
	MaxOverlapWords     = 1000
	maxChunkWords       = 10_000
)

// ChunkOptions say how a document is cut, in words.
type ChunkOptions struct {
	TargetWords  int `json:"target_words"`
	MinWords     int `json:"min_words"`
	MaxWords     int `json:"max_words"`
	OverlapWords int `json:"overlap_words"` // effective: at most half of MinWords
}

// ChunkRequest is what a caller asks for; nil takes the default.
type ChunkRequest struct {
	TargetWords, MinWords, MaxWords, OverlapWords *int
}

// Broken returns every rule that o breaks, in the names of the API's form.
func (o ChunkOptions) Broken() []kappa.FieldError {
	var broken check.Rules
	add := func(name, rule string) { broken.Add("form", name, rule) }
	add("target_words", check.Range(o.TargetWords, MinTargetWords, MaxTargetWords))
	add("overlap_words", check.Range(o.OverlapWords, 0, MaxOverlapWords))
	target := " (target_words is " + strconv.Itoa(o.TargetWords) + ")"
	if rule := check.Range(o.MinWords, 1, o.TargetWords); rule != "" {
		add("min_words", rule+target)
	}
	if rule := check.Range(o.MaxWords, o.TargetWords, maxChunkWords); rule != "" {
		add("max_words", rule+target)
	}
	return broken
}

// Options fills in the defaults, or returns a kappa.CodeInvalid Error with every rule
// that r breaks. reduced reports that the overlap was cut to half of min_words:
// without that a chunk would be mostly a repetition of the last one.
func (r ChunkRequest) Options() (o ChunkOptions, reduced bool, err error) {
	value := func(v *int, def int) int {
		if v == nil {
			return def
		}
		return *v
	}
	o.TargetWords = value(r.TargetWords, DefaultTargetWords)
	o.MinWords = value(r.MinWords, o.TargetWords*8/10)
	o.MaxWords = value(r.MaxWords, o.TargetWords*3/2)
	o.OverlapWords = value(r.OverlapWords, DefaultOverlapWords)
	if err := kappa.Invalid(o.Broken()...); err != nil {
		return ChunkOptions{}, false, err
	}
	if most := o.MinWords / 2; o.OverlapWords > most {
		reduced = r.OverlapWords != nil || o.TargetWords != DefaultTargetWords
		o.OverlapWords = most
	}
	return o, reduced, nil
}

// Boundary says why a chunk ends where it ends.
type Boundary string

// The boundaries, best first.
const (
	BoundaryParagraph Boundary = "paragraph"
	BoundarySentence  Boundary = "sentence"
	BoundaryPause     Boundary = "pause"
	BoundaryHardCut   Boundary = "hard_cut"
	BoundaryEnd       Boundary = "end_of_document"
)

// Chunk is a piece of a document: document[Bytes.Start:Bytes.End] == Text.
type Chunk struct {
	Number    int // from 1
	Text      string
	Bytes     Span
	StartChar int // offsets in characters (Unicode code points)
	EndChar   int
	Words     int
	Boundary  Boundary
}
