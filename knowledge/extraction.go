package knowledge

import "github.com/kappagraph/kappa/corpus"

// Passage is what an extractor reads: one chunk of a document.
type Passage struct {
	Text        string
	ContentType corpus.ContentType
	// Language is in which the built-in extractor reads it, in ISO 639-1: "" and "en" are
	// English, "und" is one that nobody knows. A model finds that out by itself.
	Language string
	// Parts cover Text where paragraphs of it are in different languages, each up to the next one;
	// there are none where all of it is in Language.
	Parts   []PassagePart
	Known   []KnownConcept // concepts that the chunk may mention; a hint
	Types   []string       // the known relationship types; a hint too
	Outline *Outline       // what its whole document says; nil when nothing is known
	Place   PassagePlace   // where it stands; for who reads, and for nothing else
}

// PassagePart is a part of a passage in one language, as Passage has it.
type PassagePart struct {
	corpus.Span

	Language string
}

// PassagePlace is where a passage stands: which chunk of which document. The zero value
// is a text without a document.
type PassagePlace struct {
	Ontology   string
	DocumentID string
	Number     int // of the chunk, from 1
	StartChar  int // offsets in characters (Unicode code points)
	EndChar    int
}

// Outline is what one pass over a whole document found, for whoever reads its chunks. It
// depends on the text alone, so that it can be made again after a crash.
type Outline struct {
	Terms    map[string]int    // how often the document has a phrase that it repeats, by its stems
	Headings map[string]bool   // what headings name, by its stems
	Long     map[string]string // what an abbreviation stands for
	Hash     string            // differs between outlines that differ

	// Boilerplate are lines that stand again and again, such as headers of pages and
	// signatures, with 0 for each number.
	Boilerplate map[string]bool
}

// KnownConcept is a concept that is already in the graph.
type KnownConcept struct {
	ID    string
	Label string
}

// MaxKnownConcepts is how many known concepts a model is shown with a passage at most.
const MaxKnownConcepts = 30

// Extraction is what an extractor found in one passage. The built-in extractor
// and the ones on models return the same structure.
type Extraction struct {
	Concepts      []ExtractedConcept      `json:"concepts"`
	Instances     []ExtractedInstance     `json:"instances"`
	Relationships []ExtractedRelationship `json:"relationships"`
	Tokens        int                     `json:"-"` // tokens the model charged; 0 for the built-in one
	Dropped       int                     `json:"-"` // quotes, relationships and concepts that the passage does not bear out
}

// ExtractedConcept is a concept as one passage names it.
type ExtractedConcept struct {
	Key         string   `json:"concept_id"`   // names the concept within this extraction
	Label       string   `json:"label"`        // as a reader would name it
	Description string   `json:"description"`  // one sentence, or empty
	SearchTerms []string `json:"search_terms"` // other spellings, abbreviations
	Weight      float64  `json:"-"`            // importance within the passage, above 0; 1 for models
}

// ExtractedInstance is a quote that shows a concept.
type ExtractedInstance struct {
	Concept string      `json:"concept_id"` // the Key of a concept
	Quote   string      `json:"quote"`      // the passage's own words: text[Span.Start:Span.End]
	Span    corpus.Span `json:"-"`          // where in the passage
}

// Direction says how a relationship is to be read.
type Direction string

// The directions. Outward reads from → to.
const (
	Outward       Direction = "outward"
	Inward        Direction = "inward"
	Bidirectional Direction = "bidirectional"
)

// ExtractedRelationship is a relationship that a passage states.
type ExtractedRelationship struct {
	From       string      `json:"from_concept_id"` // the Key of a concept
	To         string      `json:"to_concept_id"`
	Type       string      `json:"relationship_type"` // upper case, for example PART_OF
	Direction  Direction   `json:"direction_semantics"`
	Confidence float64     `json:"confidence"` // 0 to 1
	Quote      string      `json:"-"`          // the words that state it; may be empty
	Span       corpus.Span `json:"-"`          // where in the passage; zero when Quote is empty
	Marks      Marks       `json:"-"`          // where both ends stand in the quote, as far as that is known
}
