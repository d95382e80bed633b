package kappa

// ContentType says what format a document has.
type ContentType string

// The content types that Kappa reads.
const (
	ContentPlain    ContentType = "text/plain"
	ContentMarkdown ContentType = "text/markdown"
	ContentHTML     ContentType = "text/html"
	ContentPDF      ContentType = "application/pdf"
	ContentDOCX     ContentType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
)

// ContentTypes are the content types that Kappa reads.
func ContentTypes() []ContentType {
	return []ContentType{ContentPlain, ContentMarkdown, ContentHTML, ContentPDF, ContentDOCX}
}

// Span is a half-open range of byte offsets. text[Start:End] is what it marks.
type Span struct {
	Start int `json:"start_byte"`
	End   int `json:"end_byte"`
}

// Passage is what an extractor reads: one chunk of a document.
type Passage struct {
	Text        string
	ContentType ContentType
	Known       []KnownConcept // concepts that the chunk may mention; a hint
}

// KnownConcept is a concept that is already in the graph.
type KnownConcept struct {
	ID    string
	Label string
}

// Extraction is what an extractor found in one passage. The built-in extractor
// and the ones on models return the same structure.
type Extraction struct {
	Concepts      []ExtractedConcept      `json:"concepts"`
	Instances     []ExtractedInstance     `json:"instances"`
	Relationships []ExtractedRelationship `json:"relationships"`
	Tokens        int                     `json:"-"` // tokens the model charged; 0 for the built-in one
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
	Concept string `json:"concept_id"` // the Key of a concept
	Quote   string `json:"quote"`      // the passage's own words: text[Span.Start:Span.End]
	Span    Span   `json:"-"`          // where in the passage
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
	From       string    `json:"from_concept_id"` // the Key of a concept
	To         string    `json:"to_concept_id"`
	Type       string    `json:"relationship_type"` // upper case, for example PART_OF
	Direction  Direction `json:"direction_semantics"`
	Confidence float64   `json:"confidence"` // 0 to 1
	Quote      string    `json:"-"`          // the words that state it; may be empty
	Span       Span      `json:"-"`          // where in the passage; zero when Quote is empty
}
